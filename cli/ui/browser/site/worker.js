/** The worker: starts Python, and passes on what the page wants from it. It has no network. */

import { bridge } from "./sodium.js";

/** Milliseconds between two reports of progress. */
const PAUSE = 50;
const PROGRAM = "/program";

// Pyodide refuses a worker that is no module, and knows it by this function. From a file, browsers
// start no other worker.
// @ts-ignore
self.importScripts = () => {
  throw new TypeError("a module has no scripts");
};

/** @type {any} */
let calls = null;

/**
 * Let Pyodide find its files among those that the page has sent.
 * @param {Record<string, Uint8Array>} files
 */
function serve(files) {
  self.fetch = async (address) => {
    const name = String(address).split("/").pop() ?? "";
    const kind = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(/** @type {any} */ (files[name]), { headers: { "Content-Type": kind } });
  };
}

/**
 * @param {Record<string, Uint8Array>} files
 * @param {string} name
 */
function load(files, name) {
  const script = new Blob([/** @type {any} */ (files[name])], { type: "text/javascript" });
  return import(URL.createObjectURL(script));
}

/**
 * @param {Record<string, Uint8Array>} files
 * @param {string} language
 */
async function begin(files, language) {
  serve(files);
  const [pyodide, engine, sodium] = await Promise.all(
    ["pyodide.mjs", "pyodide.asm.mjs", "libsodium-sumo.mjs"].map((name) => load(files, name)),
  );
  const python = await pyodide.loadPyodide({
    indexURL: "https://in-this-page.invalid/",
    createPyodideModule: engine.default,
  });
  python.registerJsModule("_page_sodium", bridge(await sodium.default(), python));
  python.FS.writeFile("/program.zip", files["program.zip"]);
  python.runPython(`
import sys, zipfile
zipfile.ZipFile("/program.zip").extractall("${PROGRAM}")
sys.path.insert(0, "${PROGRAM}")
`);
  python.FS.unlink("/program.zip");
  calls = python.pyimport("cli.ui.browser.worker_calls");
  // Nothing is fetched any more, and the files take much memory.
  serve({});
  calls.speak(language);
}

/** What the page may want, by the name of the message. */
const ACTS = {
  /** @param {{files: Record<string, Uint8Array>, language: string}} wanted */
  begin: async ({ files, language }) => {
    await begin(files, language);
    return { ready: true };
  },
  /** @param {{name: string, data: Uint8Array}} wanted */
  check: ({ name, data }) => {
    let told = 0;
    calls.judge(name, data, (/** @type {number} */ done, /** @type {number} */ total) => {
      const now = performance.now();
      if (now - told < PAUSE) return;
      told = now;
      postMessage({ progress: { done, total } });
    });
    return { verdict: calls.verdict() };
  },
  /** @param {{language: string}} wanted */
  speak: ({ language }) => {
    calls.speak(language);
    return { verdict: calls.verdict() };
  },
  watch: () => ({ messages: calls.whole() }),
  /** @param {{text: string}} wanted */
  say: ({ text }) => ({ messages: calls.answers(text) }),
  picture: () => ({ picture: calls.picture() }),
};

self.onmessage = async ({ data }) => {
  try {
    postMessage(await ACTS[/** @type {keyof typeof ACTS} */ (data.act)](data));
  } catch (error) {
    // Python's memory may be in any state now, so the page starts another worker.
    console.error(error);
    postMessage({ failed: true });
  }
};
