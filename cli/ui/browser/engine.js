/** Python in a worker. All its files come from the page: a worker here has no use for `fetch`. */

import { bridge } from "./sodium.js";

const PROGRAM = "/program";

// Pyodide refuses a worker that is no module, and knows it by this function. From a file, browsers
// start no other worker.
// @ts-ignore
self.importScripts = () => {
  throw new TypeError("a module has no scripts");
};

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
 * Start Python with the modules of this program, and return Pyodide.
 * @param {Record<string, Uint8Array>} files
 * @param {Record<string, string>} [variables]  The environment of the program.
 */
export async function startPython(files, variables = {}) {
  serve(files);
  const [pyodide, engine, sodium] = await Promise.all(
    ["pyodide.mjs", "pyodide.asm.mjs", "libsodium-sumo.mjs"].map((name) => load(files, name)),
  );
  const python = await pyodide.loadPyodide({
    indexURL: "https://in-this-page.invalid/",
    createPyodideModule: engine.default,
    env: variables,
  });
  python.registerJsModule("_page_sodium", bridge(await sodium.default(), python));
  python.FS.writeFile("/program.zip", files["program.zip"]);
  python.runPython(`
import os, sys, time, zipfile
zipfile.ZipFile("/program.zip").extractall("${PROGRAM}")
sys.path.insert(0, "${PROGRAM}")
# What WebAssembly lacks, and no program here can tell apart.
os.geteuid = os.getuid
time.thread_time = time.perf_counter
`);
  python.FS.unlink("/program.zip");
  // The files take much memory, and nothing is fetched any more.
  serve({});
  return python;
}
