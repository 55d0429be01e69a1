/** The page that plays: a link leads to a table, and a worker is the peer that sits there. */

import { start } from "../../web/page/page.js";
import { languages } from "play-labels";
import { languageOfReader } from "../reader.js";
import { save } from "../save.js";
import { showPart } from "../parts.js";

const SEAT = "seat-";

const language = languageOfReader(languages);
const t = (/** @type {string} */ name) => languages[language].labels[name];

/** @type {Worker | null} */
let worker = null;
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

  /** @param {Record<string, unknown>} message */
  send(message) {
    worker?.postMessage({ act: "say", text: JSON.stringify(message) });
    return true;
  }
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
  // The seat is kept under this name by now, and the ticket has left the address.
  /** @param {string} table */
  started: (table) => {
    history.replaceState(null, "", `#${SEAT}${table}`);
    showPart("app");
    start(TableWire);
  },
  /** @param {string} text */
  text: (text) => {
    const message = JSON.parse(text);
    keepAwake(message.type);
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

/** Read the address: the ticket of a link, or the seat of this browser. */
async function wanted() {
  const word = location.hash.slice(1);
  if (word.startsWith(SEAT)) return { ticket: "", table: word.slice(SEAT.length) };
  if (!word) return null;
  const bytes = new TextEncoder().encode(word.toLowerCase());
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const table = [...digest.subarray(0, 8)].map((one) => one.toString(16).padStart(2, "0")).join("");
  return { ticket: word, table };
}

/** Why nothing can be played here, as the name of a label; "" if it can. */
function obstacle() {
  if (!isSecureContext) return "insecure";
  if (!navigator.storage?.getDirectory) return "no_store";
  return "";
}

/** The relay that has served this page, as tickets name it. */
function relay() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const port = location.port || (scheme === "wss" ? 443 : 80);
  return `${scheme}://${location.hostname}:${port}`;
}

/**
 * Begin.
 * @param {() => Promise<Record<string, Uint8Array>>} load  Loads all that the worker needs.
 */
export async function open(load) {
  document.documentElement.lang = language;
  const problem = obstacle();
  if (problem) return tell(problem);
  try {
    const table = await wanted();
    if (!table) return tell("no_ticket");
    addEventListener("hashchange", () => location.reload());
    tell("loading");
    const { "play_worker.js": script, ...files } = await load();
    tell("starting");
    const code = new Blob([/** @type {any} */ (script)], { type: "text/javascript" });
    worker = new Worker(URL.createObjectURL(code));
    worker.onmessage = ({ data }) => {
      for (const [name, value] of Object.entries(data))
        HEARD[/** @type {keyof typeof HEARD} */ (name)](value);
    };
    worker.onerror = () => HEARD.problem("failed");
    worker.postMessage({ act: "play", files, relay: relay(), language, ...table });
  } catch (error) {
    console.error(error);
    tell("not_loaded");
  }
}
