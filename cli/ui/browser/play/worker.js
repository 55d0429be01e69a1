/** The worker that plays: Python with its keys and its journal, and the sockets to the relay. */

import { startPython } from "../engine.js";
import { dial } from "./sockets.js";
import { openPool, Taken } from "./pool.js";

const FOLDERS = { HOITY_HOME: "/hoity", HOITY_MARKS: "/marks" };

/** @type {any} */
let calls = null;

class NoStore extends Error {}

/**
 * Open the files of a table, or throw what the person is told.
 * @param {string} table
 */
async function opened(table) {
  try {
    return await openPool(table);
  } catch (error) {
    throw error instanceof Taken ? error : new NoStore();
  }
}

/** What the page may want, by the name of the message. */
const ACTS = {
  /** @param {{files: any, ticket: string, table: string, relay: string, language: string}} wanted */
  async play({ files, ticket, table, relay, language }) {
    const pool = await opened(table);
    const python = await startPython(files, FOLDERS);
    calls = python.pyimport("cli.ui.browser.play_calls");
    if (!calls.keep_ticket(ticket, pool)) return postMessage({ problem: "no_ticket" });
    postMessage({ started: table });
    const post = (/** @type {string} */ text) => postMessage({ text });
    const give = (/** @type {string} */ name, /** @type {any} */ data) =>
      postMessage({ file: { name, data: data.toJs() } });
    await calls.play(relay, language, dial, post, give);
  },
  enter: () => calls?.enter(),
  keep: () => calls?.keep(),
  /** @param {{text: string}} wanted */
  say: ({ text }) => calls?.say(text),
};

self.onmessage = async ({ data }) => {
  try {
    await ACTS[/** @type {keyof typeof ACTS} */ (data.act)](data);
  } catch (error) {
    const known = error instanceof Taken ? "taken" : error instanceof NoStore ? "no_store" : "";
    if (!known) console.error(error);
    postMessage({ problem: known || "failed" });
  }
};
