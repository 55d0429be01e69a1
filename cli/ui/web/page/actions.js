/** What a reader can do: each changes what is marked here, or sends a message. */

import { t } from "./labels.js";
import { inOrder, isMarked, readyChoice, toggled } from "./question.js";
import { modalAsk } from "./side.js";

const REMARK_TIME = 2500;

const FASTEST = 4;

export class Actions {
  /** @type {import("./types").Dialog} */
  dialog = null;
  isFolded = false;
  isRunning = false;
  /** How many times as fast as usual a replay runs. */
  speed = 1;
  remark = "";
  #isClosing = false;
  /** @type {Set<number | null>} Seats that are not heard; null for onlookers. */
  muted = new Set();

  /**
   * @param {import("./types").PageState} state
   * @param {import("./types").Wire} socket
   * @param {() => void} update
   */
  constructor(state, socket, update) {
    this.state = state;
    this.socket = socket;
    this.update = update;
  }

  /** @param {Record<string, unknown>} message */
  send(message) {
    const isSent = this.socket.send(message);
    this.update();
    return isSent;
  }

  // The open choice

  /**
   * Pick an entry. Of a question for pieces it marks the pieces of the entry.
   * @param {number} number
   */
  choose(number) {
    const { question } = this.state;
    if (!question || this.state.isSent) return;
    this.state.chosen = number;
    this.state.complaint = "";
    if (isMarked(question)) this.#setPicked(new Set([question.entries[number].choice].flat()));
    this.update();
    if (document.activeElement?.closest("#choice .opts")) setTimeout(this.focusChoice);
  }

  /** @param {number} way */
  step(way) {
    const { question, chosen } = this.state;
    const size = question?.entries.length ?? 0;
    if (!size || (question?.groups.length ?? 0) > 1) return false;
    this.choose(chosen === null ? (way > 0 ? 0 : size - 1) : (chosen + way + size) % size);
    return true;
  }

  /** @param {number} slot */
  mark(slot) {
    const { question } = this.state;
    if (!question || this.state.isSent) return;
    this.#setPicked(toggled(question, this.state.picked, slot));
    const marked = inOrder(question, this.state.picked).join();
    const same = question.entries.findIndex((entry) => [entry.choice].flat().join() === marked);
    this.state.chosen = same < 0 ? null : same;
    this.update();
  }

  /** @param {Set<number>} picked */
  #setPicked(picked) {
    const question = /** @type {import("./types").Question} */ (this.state.question);
    this.state.picked = picked;
    this.state.verdict = null;
    this.state.complaint = "";
    if (picked.size)
      this.send({ type: "check", question: question.id, picked: inOrder(question, picked) });
  }

  /**
   * Pick an entry by its number, and go there: Enter seals it then.
   * @param {number} number
   */
  pickByKey(number) {
    this.choose(number);
    setTimeout(() => {
      this.focusChoice();
      document
        .querySelector("#choice input:checked, #choice .best-one.on")
        ?.closest("label, button")
        ?.scrollIntoView({ block: "nearest" });
    });
  }

  seal() {
    const choice = readyChoice(this.state);
    if (choice === undefined || this.state.isSent || !this.state.question) return false;
    this.state.isSent = this.send({ type: "answer", question: this.state.question.id, choice });
    return true;
  }

  // What else is answered or asked for

  /**
   * @param {number} ask
   * @param {boolean} yes
   */
  reply(ask, yes) {
    this.state.asks = new Map(this.state.asks);
    this.state.asks.delete(ask);
    if (this.state.explain?.ask === ask) this.state.explain = null;
    this.send({ type: "reply", ask, yes });
  }

  /**
   * Accept the terms. The question stays until the nickname is taken, too.
   * @param {number} ask
   * @param {string} nickname
   */
  sit(ask, nickname) {
    this.state.complaint = "";
    this.send({ type: "sit", ask, nickname });
  }

  /** @param {boolean} yes */
  replyFirst(yes) {
    const ask = [...this.state.asks.values()].find((one) => one.form !== "setup");
    // The nickname that was typed goes with the consent.
    const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form.sit"));
    if (form && yes) form.requestSubmit();
    else if (ask) this.reply(ask.id, yes);
    return ask !== undefined;
  }

  /** @param {Record<string, unknown>} answers */
  setup = (answers) => {
    this.state.isSent = this.send({ type: "setup", ...answers });
  };
  hurry = () => this.send({ type: "hurry" });
  wait = () => this.send({ type: "wait" });
  save = () => this.send({ type: "save" });
  /** Leave a game that is over, and want no other one. */
  done = () => {
    for (const ask of this.state.asks.values()) if (ask.form === "again") this.reply(ask.id, false);
    this.dialog = null;
    this.send({ type: "bye" });
  };
  /** @param {string} name */
  open = (name) => {
    this.dialog = null;
    this.send({ type: "open", sheet: name });
  };
  /** @param {Record<string, unknown>} change */
  set = (change) => this.send({ type: "set", ...change });
  /** @param {{at?: number, eyes?: number | null}} to */
  seek = (to) => this.send({ type: "seek", ...to });
  /** @param {boolean} plays */
  bot = (plays) => {
    this.dialog = null;
    this.send({ type: "bot", plays });
  };
  leave = () => {
    if (this.state.ending) return this.done();
    this.dialog = null;
    this.send({ type: "leave" });
  };
  /** @param {string | number} said  Words of one's own, or the number of a phrase. */
  say = (said) => {
    if (typeof said === "number") {
      this.dialog = null;
      // The dialog gives the focus back to its button, which Enter would press again.
      setTimeout(() => this.focusChoice());
    }
    this.send({ type: "talk", ...(typeof said === "number" ? { phrase: said } : { words: said }) });
  };
  takeOver = () => this.socket.open(true);

  // The window itself

  /** @param {import("./types").Dialog} name */
  #show(name) {
    this.dialog = name;
    this.update();
  }

  menu = () => this.state.page && this.#show("menu");
  keys = () => this.state.page && this.#show("keys");
  phrases = () => this.#show("phrases");

  /**
   * Close the dialog, since its content is gone. Its event comes late: the next content may be there.
   * @param {HTMLDialogElement} dialog
   */
  close(dialog) {
    this.#isClosing = true;
    dialog.close();
  }

  /** The dialog was closed: by Esc, by its button, or by `close`. */
  dismiss = () => {
    if (this.#isClosing) {
      this.#isClosing = false;
      return;
    }
    const ask = modalAsk(this.state);
    if (ask) return this.reply(ask.id, false);
    this.state.sheet = null;
    this.#show(null);
  };

  fold = () => {
    this.isFolded = !this.isFolded;
    this.update();
  };

  /** @param {number | null} seat  Null for onlookers. */
  mute = (seat) => {
    if (!this.muted.delete(seat)) this.muted.add(seat);
    this.update();
  };

  run = () => {
    this.isRunning = !this.isRunning;
    this.update();
  };

  /** @param {number} way  1 for faster, -1 for slower. */
  hasten = (way) => {
    const wanted = this.speed * (way > 0 ? 2 : 0.5);
    // Its button goes round, from the fastest to the slowest.
    this.speed = wanted > FASTEST ? 1 / FASTEST : Math.max(1 / FASTEST, wanted);
    this.update();
  };

  seats = () => this.state.table?.seats.length ?? 0;
  get mayNotify() {
    return "Notification" in window && Notification.permission === "default";
  }

  notify = async () => {
    await Notification.requestPermission();
    this.update();
  };

  /** @param {string} text */
  copy = async (text) => {
    await navigator.clipboard.writeText(text);
    this.remark = t("copied");
    this.update();
    setTimeout(() => ((this.remark = ""), this.update()), REMARK_TIME);
  };

  /** @param {string} text */
  share = (text) => navigator.share({ text }).catch(() => undefined);

  focusTalk = () => {
    const field = document.getElementById("words");
    field?.focus();
    return field !== null;
  };

  /** The answer that is picked, else the first one, else a piece that can be marked. */
  focusChoice = () => {
    const wanted = [
      "#choice input:checked",
      "#choice input",
      "#choice .can",
      ".rows .can",
      "#choice",
    ];
    const found = wanted.flatMap(
      (one) => /** @type {HTMLElement[]} */ ([...document.querySelectorAll(one)]),
    );
    found.find((one) => one.offsetParent)?.focus({ preventScroll: true });
  };
}
