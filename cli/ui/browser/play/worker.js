/** The worker that plays: Python with its keys and its journal, and the sockets to the relay. */

import { startPython } from "../engine.js";
import { dial } from "./sockets.js";
import { openPool, Taken } from "./pool.js";

const FOLDERS = { HOITY_HOME: "/hoity", HOITY_MARKS: "/marks" };

/** @type {Promise<any> | null}  What the program has of the browser. */
let started = null;
/** @type {any}  The functions of the program, once it has started. */
let calls = null;
/** The files of each folder that was opened, since nobody can open them twice. */
const pools = new Map();

class NoStore extends Error {}

/**
 * Open the files of a table, or throw what the person is told.
 * @param {string} folder
 */
async function opened(folder) {
  try {
    return await openPool(folder);
  } catch (error) {
    throw error instanceof Taken ? error : new NoStore();
  }
}

/**
 * Start Python, and give it what it needs of the browser.
 * @param {any} modules
 * @param {string} address
 * @param {string} relay
 * @param {string} language
 */
async function begun(modules, address, relay, language) {
  const python = await startPython(modules, FOLDERS);
  calls = python.pyimport("cli.ui.browser.play_calls");
  const post = (/** @type {string} */ text) => postMessage({ text });
  const give = (/** @type {string} */ name, /** @type {any} */ data) =>
    postMessage({ file: { name, data: data.toJs() } });
  return calls.Browser(address, relay, language, dial, post, give);
}

/** What the page may want, by the name of the message. */
const ACTS = {
  /** @param {{files: any, address: string, relay: string, language: string}} wanted */
  start({ files, address, relay, language }) {
    started = begun(files, address, relay, language);
    started.catch(() => {}); // Whoever plays is told.
  },
  /** @param {{wish: any}} wanted */
  async resolve({ wish }) {
    const browser = await started;
    const found = await calls.resolve(JSON.stringify(wish), browser);
    const [refused, resolved] = found.toJs();
    found.destroy();
    postMessage(refused ? { refused } : { resolved });
  },
  /** @param {{wish: any, nickname: string, folder: string}} wanted */
  async play({ wish, nickname, folder }) {
    if (!pools.has(folder)) pools.set(folder, await opened(folder));
    const browser = await started;
    const refused = calls.prepare(wish ? JSON.stringify(wish) : "", pools.get(folder));
    if (refused) return postMessage({ refused });
    postMessage({ started: true });
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
