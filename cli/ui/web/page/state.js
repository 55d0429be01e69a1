/** What the page knows, and what each message does to it. No rule of the game is known here. */

import { learn } from "./labels.js";

const LONGEST_STORY = 400;

/**
 * Return the state of a page that knows nothing.
 * @returns {import("./types").PageState}
 */
export function fresh() {
  return {
    link: "connecting",
    hello: null,
    page: null,
    lobby: null,
    deal: null,
    table: null,
    board: null,
    beat: null,
    story: [],
    clock: null,
    asks: new Map(),
    question: null,
    chosen: null,
    picked: new Set(),
    verdict: null,
    isSent: false,
    isSealed: false,
    complaint: "",
    explain: null,
    alarms: [],
    ending: null,
    film: null,
    sheet: null,
    saved: "",
    bye: null,
    news: "",
    lostAt: 0,
  };
}

/**
 * Take a message. One of a type that is not known here changes nothing.
 * @param {import("./types").PageState} state
 * @param {any} message
 */
export function receive(state, message) {
  if (Object.hasOwn(TAKES, message?.type)) TAKES[message.type](state, message);
}

/** @type {Record<string, (state: import("./types").PageState, message: any) => void>} */
const TAKES = {
  entered: (state) => Object.assign(state, fresh(), { link: "open" }),
  hello: (state, message) => (state.hello = message),
  page: (state, message) => {
    state.page = message;
    learn(message.labels);
  },
  lobby: (state, message) => {
    state.lobby = message;
    if (state.ending) startAnew(state);
  },
  deal: (state, message) => (state.deal = message),
  table: (state, message) => {
    startAnew(state);
    state.table = message;
  },
  state: (state, message) => {
    state.board = message.board;
    state.deal = state.beat = null;
  },
  beat: (state, message) => {
    state.board = message.board;
    const words = message.words.length ? message.words : (state.beat?.words ?? []);
    state.beat = { ...message, words, at: performance.now() };
    // A replay goes back from its end.
    state.deal = state.ending = null;
    if (!isToldLast(state, message.words)) tell(state, "beat", message.words);
  },
  story: (state, message) => (state.story = sentences("log", message.words)),
  log: (state, message) => {
    tell(state, "log", message.words);
    // All have confirmed the result once it is known who plays again.
    if (message.event === "again" && state.ending) state.ending = { ...state.ending, awaited: [] };
  },
  said: (state, message) => {
    const { seat, who, words, is_own } = message;
    state.story = [...state.story, { kind: "said", words, seat, who, isOwn: is_own }].slice(
      -LONGEST_STORY,
    );
    state.news = `${who}: ${words}`;
  },
  alarm: (state, message) => {
    state.alarms = [...state.alarms, message];
    tell(state, "alarm", [message.words]);
  },
  clock: (state, message) => (state.clock = { ...message, at: performance.now() }),
  ask: (state, message) => {
    state.asks = new Map(state.asks).set(message.id, { ...message, at: performance.now() });
    state.news = message.words;
  },
  settled: (state, message) => {
    if (state.asks.get(message.ask)?.form === "setup") state.isSent = false;
    state.asks = new Map(state.asks);
    state.asks.delete(message.ask);
    if (state.explain?.ask === message.ask) state.explain = null;
  },
  question: (state, message) => openQuestion(state, message),
  checked: (state, message) => {
    if (message.question === state.question?.id) state.verdict = message;
  },
  taken: (state, message) => {
    if (message.question !== state.question?.id) return;
    state.question = null;
    state.isSealed = true;
  },
  refused: (state, message) => {
    state.isSent = false;
    state.complaint = state.news = message.words;
  },
  closed: (state, message) => {
    if (message.question === state.question?.id) state.question = null;
  },
  explain: (state, message) => {
    state.explain = message;
    state.news = message.words;
  },
  sheet: (state, message) => (state.sheet = message),
  saved: (state, message) => (state.saved = state.news = message.words),
  ending: (state, message) => {
    Object.assign(state, { ending: message, question: null, beat: null, clock: null, deal: null });
    state.news = message.words;
  },
  "film-position": (state, message) => (state.film = message),
  bye: (state, message) => {
    state.bye = message;
    state.link = "over";
    state.news = message.words;
  },
};

/**
 * Forget a game, since another one begins.
 * @param {import("./types").PageState} state
 */
function startAnew(state) {
  const { table, board, question, clock, ending, alarms, story, beat } = fresh();
  Object.assign(state, { table, board, question, clock, ending, alarms, story, beat });
  state.isSealed = false;
}

/**
 * A question with the same id, told again in another language, keeps what was marked.
 * @param {import("./types").PageState} state
 * @param {any} message
 */
function openQuestion(state, message) {
  const isSame = state.question?.id === message.id;
  state.question = { ...message, at: performance.now() };
  state.beat = null;
  state.isSealed = state.isSent = false;
  state.complaint = "";
  state.news = message.title;
  if (isSame) return;
  state.verdict = null;
  state.chosen = null;
  state.picked = new Set(
    message.groups.filter((/** @type {number[]} */ group) => group.length === 1).flat(),
  );
}

/**
 * @param {"log" | "beat" | "alarm"} kind
 * @param {string[]} words
 */
function sentences(kind, words) {
  return words.map((text) => ({ kind, words: text, seat: null, who: "", isOwn: false }));
}

/**
 * Whether the log ends with these sentences: a window that enters is told them by `story` as well.
 * @param {import("./types").PageState} state
 * @param {string[]} words
 */
function isToldLast({ story }, words) {
  return (
    words.length > 0 &&
    story
      .slice(-words.length)
      .map((line) => line.words)
      .join("\n") === words.join("\n")
  );
}

/**
 * Add sentences to the log, and to what is read aloud.
 * @param {import("./types").PageState} state
 * @param {"log" | "beat" | "alarm"} kind
 * @param {string[]} words
 */
function tell(state, kind, words) {
  state.story = [...state.story, ...sentences(kind, words)].slice(-LONGEST_STORY);
  if (words.length) state.news = words.join(" ");
}
