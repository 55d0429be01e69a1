/** The keyboard: everything can be done without a mouse. */

import { isMarked } from "./question.js";
import { nextRound } from "./replay.js";
import { modalAsk } from "./side.js";

/** @type {Record<string, string>} */
const SHEETS = {
  b: "recap",
  i: "pieces",
  l: "log",
  r: "rules",
  o: "proofs",
  p: "links",
  "#": "numbers",
  h: "advice",
};

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement && target.matches("input:not([type=radio]), textarea, select");

/** @param {EventTarget | null} target */
const isControl = (target) =>
  target instanceof HTMLElement &&
  target.matches("button, a, summary, input:not([type=radio]), select");

/**
 * @param {KeyboardEvent} event
 * @param {import("./types").PageState} state
 * @param {import("./types").Actions} act
 */
export function pressed(event, state, act) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (modalAsk(state)) return;
  if (document.querySelector("dialog[open]")) return turn(event, state, act);
  const isDone =
    lessonKey(event, state, act) ||
    replayKey(event, state, act) ||
    questionKey(event, state, act) ||
    otherKey(event, state, act);
  if (isDone) event.preventDefault();
}

/**
 * Over a page of text its own key closes it, and that of another one turns to it.
 * @param {KeyboardEvent} event
 * @param {import("./types").PageState} state
 * @param {import("./types").Actions} act
 */
function turn(event, { sheet }, act) {
  const name = SHEETS[event.key];
  if (!sheet || !name) return;
  event.preventDefault();
  if (sheet.name === name) act.dismiss();
  else act.open(name);
}

/**
 * An explanation goes on before anything is sealed.
 * @param {KeyboardEvent} event
 * @param {import("./types").PageState} state
 * @param {import("./types").Actions} act
 */
function lessonKey({ key, target }, { explain }, act) {
  if (
    !explain ||
    key !== "Enter" ||
    (isControl(target) && !(/** @type {Element} */ (target).matches(".piece")))
  )
    return false;
  act.reply(explain.ask, true);
  return true;
}

/**
 * @param {KeyboardEvent} event
 * @param {import("./types").PageState} state
 * @param {import("./types").Actions} act
 */
function questionKey(event, state, act) {
  const { question } = state;
  const { key } = event;
  if (!question || state.isSent) return false;
  if (/^[1-9]$/.test(key))
    return Number(key) <= question.entries.length && (act.pickByKey(Number(key) - 1), true);
  if (key === "ArrowLeft" || key === "ArrowRight")
    return isMarked(question) && walk(key === "ArrowRight" ? 1 : -1);
  if (key === "ArrowUp" || key === "ArrowDown") return act.step(key === "ArrowDown" ? 1 : -1);
  const isPiece = event.target instanceof Element && event.target.matches(".piece.can");
  if (key === "Enter" && (isPiece || !isControl(event.target))) return act.seal() || isPiece;
  return false;
}

/**
 * Go to the next piece that can be marked.
 * @param {number} way
 */
function walk(way) {
  const pieces = /** @type {HTMLElement[]} */ ([
    ...document.querySelectorAll("button.piece.can"),
  ]).filter((one) => one.offsetParent);
  const now = pieces.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const next =
    now < 0 ? (way > 0 ? 0 : pieces.length - 1) : (now + way + pieces.length) % pieces.length;
  pieces[next]?.focus();
  return pieces.length > 0;
}

/**
 * @param {KeyboardEvent} event
 * @param {import("./types").PageState} state
 * @param {import("./types").Actions} act
 */
function replayKey({ key, target }, { film }, act) {
  if (!film || isControl(target)) return false;
  const to = /** @type {Record<string, number>} */ ({
    ArrowLeft: film.at - 1,
    ArrowRight: film.at + 1,
    Home: 0,
    End: film.length - 1,
    PageUp: nextRound(film, -1),
    PageDown: nextRound(film, 1),
  })[key];
  if (key === " ") return (act.run(), true);
  if (key === "+" || key === "-") return (act.hasten(key === "+" ? 1 : -1), true);
  if (key === "s") return (act.seek({ eyes: nextEyes(film.eyes, act.seats()) }), true);
  if (to === undefined) return false;
  act.seek({ at: Math.max(0, Math.min(film.length - 1, to)) });
  return true;
}

/**
 * Each seat in turn, then everybody.
 * @param {number | null} eyes
 * @param {number} seats
 */
const nextEyes = (eyes, seats) => (eyes === null ? 0 : eyes + 1 < seats ? eyes + 1 : null);

/**
 * @param {KeyboardEvent} event
 * @param {import("./types").PageState} state
 * @param {import("./types").Actions} act
 */
function otherKey({ key, target }, state, act) {
  if (key === "Escape" || key === "q") return (act.menu(), true);
  if (key === "?") return (act.keys(), true);
  if (key in SHEETS) return (act.open(SHEETS[key]), true);
  if (key === "t") return act.focusTalk();
  if (key === "w" && state.clock && state.table?.seat !== null) return (act.wait(), true);
  if (key === "a" && state.table?.seat != null) return (act.bot(!state.page?.by_bot), true);
  if (key === "s" && state.ending) return (act.save(), true);
  const open = document.querySelector("[data-yes]");
  if ((key === "y" || key === "n") && open) return act.replyFirst(key === "y");
  if (isControl(target) || key === "Tab" || key === "Shift") return false;
  if (state.beat && !state.question) return (act.hurry(), true);
  return false;
}
