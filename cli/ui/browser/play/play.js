/** The page that plays: a link leads to a table, and a worker is the peer that sits there. */

import { start } from "../../web/page/page.js";
import { languages } from "play-labels";
import { languageOfReader } from "../reader.js";
import { save } from "../save.js";
import { showPart } from "../parts.js";
import { folderOf, keepFolder, newFolder, recall, remember } from "./kept.js";
import { front } from "./front.js";

const SEAT = "seat-";
const NICKNAME = "nickname";
const LAST = "last";

const language = languageOfReader(languages);
const t = (/** @type {string} */ name) => languages[language].labels[name];

/** @type {Worker | null} */
let worker = null;
/**
 * What the person wants, in the words of Python's `resolved`.
 * @typedef {{act?: string, word?: string, nickname?: string, seats?: number, asks?: boolean, ticket?: string}} Wish
 */
/** @type {Wish} */
let wanted = {};
/** The name of the folder in the browser's storage that has the table. */
let folder = "";
/** @type {TableWire | null} */
let wire = null;

/** @param {string} name  Of a label. */
function tell(name) {
  const place = document.getElementById("start");
  if (place) place.textContent = t(name);
}

/** The wire of the page, whose other end is the worker. */
class TableWire {
  /**
   * @param {(message: any) => void} onMessage
   * @param {(link: "open") => void} onLink
   */
  constructor(onMessage, onLink) {
    this.onMessage = onMessage;
    this.onLink = onLink;
    wire = this;
  }

  open() {
    this.onMessage({ type: "entered" });
    this.onLink("open");
    worker?.postMessage({ act: "enter" });
  }

  renew() {
    this.open();
  }

  /** Save the file of the last game. */
  keep() {
    worker?.postMessage({ act: "keep" });
  }

  again() {
    location.reload();
  }

  /** @param {Record<string, unknown>} message */
  send(message) {
    if (message.type === "sit") keepFiles();
    if (message.type === "sit" && message.nickname)
      remember(NICKNAME, String(message.nickname));
    worker?.postMessage({ act: "say", text: JSON.stringify(message) });
    return true;
  }
}

let isKept = false;

/** Ask the browser once not to remove the seat when it needs room. The answer does not matter. */
function keepFiles() {
  if (!isKept) navigator.storage.persist?.().catch(() => {});
  isKept = true;
}

/** @type {any} */
let awake = null;

/**
 * Keep the screen on while the cards are dealt: a seat that sleeps then would end the table.
 * @param {string} told  The type of a message.
 */
async function keepAwake(told) {
  try {
    if (told === "deal" && !awake) {
      awake = true;
      awake = await navigator.wakeLock?.request("screen");
    } else if (told === "beat" && awake) {
      await awake.release?.();
      awake = null;
    }
  } catch {
    awake = null; // The browser does not want to.
  }
}

/** What is done with each thing that the worker says. */
const HEARD = {
  /** @param {string} ticket  Of the table that is wanted, "" for one that is to be opened. */
  resolved: async (ticket) => {
    if (wanted.nickname) remember(NICKNAME, wanted.nickname);
    folder = ticket ? await folderOf(ticket) : newFolder();
    play({ ...wanted, ticket });
  },
  started: () => {
    // The seat is kept under this name by now, and the ticket leaves the address.
    history.replaceState(null, "", `#${SEAT}${folder}`);
    remember(LAST, folder);
    showPart("app");
    start(TableWire);
  },
  /** @param {string} why */
  refused: (why) => askWish({ why, word: wanted.act === "host" ? "" : wanted.word }),
  /** @param {string} text */
  text: (text) => {
    const message = JSON.parse(text);
    keepAwake(message.type);
    if (message.type === "lobby" && message.ticket) {
      keepFiles();
      // The link of one's own table leads back to it.
      void keepFolder(message.ticket, folder);
    }
    wire?.onMessage(message);
  },
  /** @param {{name: string, data: Uint8Array}} file */
  file: ({ name, data }) => save(name, data),
  /** @param {string} name */
  problem: (name) => {
    tell(name);
    showPart("site");
  },
};

/** Read the address: the table of a link, or null. The seat of this browser has its own folder. */
function fromAddress() {
  const word = location.hash.slice(1);
  if (word.startsWith(SEAT)) {
    folder = word.slice(SEAT.length);
    return {};
  }
  return word ? { act: "sit", word } : null;
}

/** Why nothing can be played here, as the name of a label; "" if it can. */
function obstacle() {
  if (!isSecureContext) return "insecure";
  if (!navigator.storage?.getDirectory) return "no_store";
  return "";
}

/** The relay of this page, as tickets name it: the one that it was built for, or its own server. */
function relay() {
  const named = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=relay]"));
  const { protocol, hostname, port } = new URL(named?.content ?? location.href);
  const scheme = protocol === "https:" || protocol === "wss:" ? "wss" : "ws";
  return `${scheme}://${hostname}:${port || (scheme === "wss" ? 443 : 80)}`;
}

/** @type {Promise<unknown>} */
let loaded;

/**
 * Ask what the person wants.
 * @param {{why?: string, word?: string}} last  What was wrong with the last answer, and its word.
 */
function askWish(last) {
  showPart("site");
  const seat = recall(LAST) && `#${SEAT}${recall(LAST)}`;
  front(t, { ...last, seat, nickname: recall(NICKNAME) }, (wish) => void begin(wish));
}

/**
 * Do what the person wants, or go on with what the folder has.
 * @param {Wish} wish
 */
async function begin(wish) {
  wanted = wish;
  try {
    tell("loading");
    await loaded;
    tell("starting");
    if (wish.act) worker?.postMessage({ act: "resolve", wish });
    else play(null);
  } catch (error) {
    console.error(error);
    tell("not_loaded");
  }
}

/** @param {Wish | null} wish */
function play(wish) {
  const nickname = wanted.nickname || recall(NICKNAME);
  worker?.postMessage({ act: "play", wish, nickname, folder });
}

/**
 * Load the worker, which waits for what the person wants.
 * @param {() => Promise<Record<string, Uint8Array>>} load  Loads all that it needs.
 */
async function loadWorker(load) {
  const { "play_worker.js": script, ...files } = await load();
  const code = new Blob([/** @type {any} */ (script)], { type: "text/javascript" });
  worker = new Worker(URL.createObjectURL(code));
  worker.onmessage = ({ data }) => {
    for (const [name, value] of Object.entries(data))
      HEARD[/** @type {keyof typeof HEARD} */ (name)](value);
  };
  worker.onerror = () => HEARD.problem("failed");
  const address = location.href.split("#")[0];
  worker.postMessage({ act: "start", files, address, relay: relay(), language });
}

/**
 * Begin.
 * @param {() => Promise<Record<string, Uint8Array>>} load  Loads all that the worker needs.
 */
export async function open(load) {
  document.documentElement.lang = language;
  const problem = obstacle();
  if (problem) return tell(problem);
  loaded = loadWorker(load);
  loaded.catch(() => {}); // Whoever waits for it is told.
  const wish = fromAddress();
  addEventListener("hashchange", () => location.reload());
  if (wish) await begin(wish);
  else askWish({});
}
