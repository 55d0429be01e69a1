/** The worker that plays: Python with its keys and its journal, and the sockets to the relay. */

import { startPython } from "../engine.js";
import { dial } from "./sockets.js";
import { openPool, Taken } from "./pool.js";

const FOLDERS = { HOITY_HOME: "/hoity", HOITY_MARKS: "/marks" };

/** @type {Promise<{calls: any, browser: any}> | null} */
let started = null;
/** @type {any} */
let calls = null;
/** The files of each table that was opened, since nobody can open them twice. */
const pools = new Map();

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

/**
 * Start Python, and give it what it needs of the browser.
 * @param {any} modules
 * @param {string} server
 * @param {string} relay
 * @param {string} language
 */
async function begun(modules, server, relay, language) {
  const python = await startPython(modules, FOLDERS);
  calls = python.pyimport("cli.ui.browser.play_calls");
  const post = (/** @type {string} */ text) => postMessage({ text });
  const give = (/** @type {string} */ name, /** @type {any} */ data) =>
    postMessage({ file: { name, data: data.toJs() } });
  return { calls, browser: calls.Browser(server, relay, language, dial, post, give) };
}

/** What the page may want, by the name of the message. */
const ACTS = {
  /** @param {{files: any, server: string, relay: string, language: string}} wanted */
  start({ files, server, relay, language }) {
    started = begun(files, server, relay, language);
    started.catch(() => {}); // Whoever plays is told.
  },
  /** @param {{wish: any, nickname: string, table: string}} wanted */
  async play({ wish, nickname, table }) {
    if (!pools.has(table)) pools.set(table, await opened(table));
    const { browser } = await /** @type {NonNullable<typeof started>} */ (started);
    const why = await calls.prepare(JSON.stringify(wish), pools.get(table), browser);
    if (why) return postMessage({ refused: why });
    postMessage({ started: nickname });
    await calls.play(nickname, browser);
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
