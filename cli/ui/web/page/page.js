/** A page at work: what it is told, the state, and drawing it anew after each change. */

import { render } from "./vendor/lit-html.js";
import { Actions } from "./actions.js";
import { attention, callPlayer } from "./calling.js";
import { pressed } from "./keys.js";
import { glide, placesNow } from "./motion.js";
import { fresh, receive } from "./state.js";
import { dialogContent, wholePage } from "./table.js";

const SECOND = 1000;
const LAST_PAUSE = 600;
/** Milliseconds in which all comes that is told anew to a window that has entered. */
const WHOLE_TRUTH = 25;

/** Milliseconds after which a page that has failed enters anew once more. */
const RENEWAL = 10_000;

/**
 * Show what comes by a wire, and send by it what the person wants.
 * @param {import("./types").WireMaker} Wire
 */
export function start(Wire) {
  const state = fresh();
  const app = /** @type {HTMLElement} */ (document.getElementById("app"));
  const aloud = /** @type {HTMLElement} */ (document.getElementById("aloud"));
  let isDue = false;
  let renewed = -RENEWAL;
  /** @type {number | null} The question to which the focus was moved. */
  let focused = null;

  const socket = new Wire(take, (link) => {
    if (link === "lost" && state.link !== "lost") state.lostAt = performance.now();
    state.link = link;
    update();
  });
  const act = new Actions(state, socket, update);
  const pointed = (/** @type {string} */ part) =>
    state.explain?.points.includes(part) ? "pointed" : "";
  const context = { state, act, pointed };

  /** @param {any} message */
  function take(message) {
    if (message !== null && typeof message === "object") guarded(() => takeKnown(message));
  }

  /** @param {any} message */
  function takeKnown(message) {
    const wasOpen = state.question?.id;
    receive(state, message);
    if (message.type === "question" && message.id !== wasOpen) callPlayer(state);
    if (message.type === "question") act.isFolded = false;
    // What it says stands at the top.
    if (message.type === "bye") window.scrollTo(0, 0);
    if (message.type === "film-position" && message.at >= message.length - 1) act.isRunning = false;
    if (act.isRunning && message.type === "film-position") playOn();
    update(message.type === "entered" ? WHOLE_TRUTH : 0);
  }

  /**
   * Draw once, after all that comes at the same time.
   * @param {number} [pause]
   */
  function update(pause = 0) {
    if (isDue) return;
    isDue = true;
    setTimeout(draw, pause);
  }

  /**
   * What fails is forgotten: the window enters anew and is told everything, unless this has just been
   * of no use.
   * @param {() => void} act
   */
  function guarded(act) {
    try {
      act();
    } catch (error) {
      console.warn(error);
      const now = performance.now();
      if (now - renewed > RENEWAL) socket.renew();
      renewed = now;
    }
  }

  function draw() {
    isDue = false;
    guarded(drawAll);
  }

  function drawAll() {
    const before = placesNow();
    render(wholePage(context), app);
    glide(before);
    showDialog();
    attention(state);
    theme();
    if (aloud.textContent !== state.news) aloud.textContent = state.news;
    moveFocus();
  }

  /** A modal dialog keeps the focus inside, and gives it back. */
  function showDialog() {
    const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("dialog"));
    const isWanted = dialogContent(context) !== null;
    if (isWanted && !dialog.open) dialog.showModal();
    if (!isWanted && dialog.open) act.close(dialog);
  }

  function theme() {
    const light = state.page?.settings.light;
    document.documentElement.dataset.theme = light == null ? "" : light ? "light" : "dark";
    document.documentElement.lang = state.hello?.language ?? "en";
  }

  /** A new choice gets the focus, unless the reader is busy elsewhere. */
  function moveFocus() {
    const id = state.question?.id ?? null;
    if (id === focused) return;
    focused = id;
    const now = document.activeElement;
    const isFree = !now || now === document.body || now.closest(".panel") !== null;
    if (id !== null && isFree && !document.querySelector("dialog[open]")) act.focusChoice();
  }

  /** While a replay runs, the next moment comes when this one has been seen. */
  function playOn() {
    const { film, beat } = state;
    const pause = ((beat?.seconds ?? 0) * SECOND || LAST_PAUSE) / act.speed;
    setTimeout(
      () => act.isRunning && film && state.film === film && act.seek({ at: film.at + 1 }),
      pause,
    );
  }

  const run = act.run;
  act.run = () => {
    run();
    if (act.isRunning) playOn();
  };

  addEventListener("keydown", (event) => pressed(event, state, act));
  for (const query of ["(max-width: 38.75em)", "(max-width: 68.75em)"])
    matchMedia(query).addEventListener("change", () => update());
  setInterval(() => (state.clock || state.asks.size || state.link === "lost") && update(), SECOND);
  update();
  socket.open();
}
