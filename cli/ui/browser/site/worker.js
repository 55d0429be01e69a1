/** The worker that checks files: it passes on what the page wants from Python. */

import { startPython } from "../engine.js";

/** Milliseconds between two reports of progress. */
const PAUSE = 50;

/** @type {any} */
let calls = null;

/** What the page may want, by the name of the message. */
const ACTS = {
  /** @param {{files: Record<string, Uint8Array>, language: string}} wanted */
  begin: async ({ files, language }) => {
    const python = await startPython(files);
    calls = python.pyimport("cli.ui.browser.site_calls");
    calls.speak(language);
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
