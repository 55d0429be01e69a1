/** What stands in the place of the question: yes or no, an explanation, a reveal, or who is awaited. */

import { html, nothing } from "./vendor/lit-html.js";
import { minutes, t } from "./labels.js";
import { nicknameField } from "./nickname.js";
import { nameOf } from "./pieces.js";
import { questionPanel, timeLeft } from "./question.js";

/** So many letters of a reveal are shown smaller. */
const LONG = 160;
const MODAL = ["leave", "bot"];

/**
 * The questions that stand in the page; those after a click of one's own are dialogs.
 * @param {import("./types").PageState} state
 */
const standing = (state) =>
  [...state.asks.values()].filter((ask) => !MODAL.includes(ask.form) && ask.form !== "setup");

/**
 * The question that a dialog asks, if there is one.
 * @param {import("./types").PageState} state
 */
export const modalAsk = (state) => [...state.asks.values()].find((ask) => MODAL.includes(ask.form));

/**
 * A question with yes or no. A dialog may come by a slip of the keyboard, so it begins at no.
 * @param {import("./types").Context} context
 * @param {import("./types").Ask} ask
 */
export function yesOrNo({ act }, ask) {
  const left = ask.seconds === null ? null : ask.seconds - (performance.now() - ask.at) / 1000;
  return html`<div class="yes-no" role="group" aria-label=${ask.words}>
    <button type="button" class="seal yes" data-yes @click=${() => act.reply(ask.id, true)}>
      ${t("yes")}
    </button>
    <button
      type="button"
      class="plain"
      ?autofocus=${MODAL.includes(ask.form)}
      @click=${() => act.reply(ask.id, false)}
    >
      ${t("no")}
    </button>
    ${left === null ? nothing : html`<span class="figures">${minutes(left)}</span>`}
  </div>`;
}

/**
 * The question whether to sit down, with the nickname that may be changed.
 * @param {import("./types").Context} context
 * @param {import("./types").Ask} ask
 */
function sitDown({ state, act }, ask) {
  const submitted = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    act.sit(ask.id, String(given.get("nickname") ?? "").trim());
  };
  return html`<form class="sit" @submit=${submitted}>
    ${nicknameField(t("nickname"), { placeholder: ask.fields.nickname })}
    ${state.complaint ? html`<p class="say bad" role="alert">${state.complaint}</p>` : nothing}
    <div class="yes-no" role="group" aria-label=${ask.words}>
      <button class="seal yes" data-yes>${t("yes")}</button
      ><button type="button" class="plain" @click=${() => act.reply(ask.id, false)}>
        ${t("no")}
      </button>
    </div>
  </form>`;
}

/** @param {import("./types").Context} context */
export function asks(context) {
  return standing(context.state).map(
    (ask) =>
      html`<section class="card ask yesno" aria-label=${ask.words}>
        <h2>${ask.words}</h2>
        ${ask.fields.fingerprint ? html`<p class="key">${ask.fields.fingerprint}</p>` : nothing}${ask.fields.nickname && ask.form === "agree" ? sitDown(context, ask) : yesOrNo(context, ask)}
      </section>`,
  );
}

/** @param {import("./types").Context} context */
export function explanation({ state, act }) {
  const { explain } = state;
  if (!explain) return nothing;
  return html`<section class="card ask lesson">
    <p class="told">${explain.words}</p>
    <button type="button" class="seal" data-yes @click=${() => act.reply(explain.ask, true)}>
      ${t("goes_on")}
    </button>
  </section>`;
}

/** @param {import("./types").Context} context */
function reveal({ state, act }) {
  const beat = /** @type {import("./types").Beat} */ (state.beat);
  return html`<section class="card ask beat" @click=${() => act.hurry()}>
    <h2 class="small">${state.board?.headline}</h2>
    <div class="told ${beat.words.join().length > LONG ? "long" : ""}" data-beat=${beat.index}>
      ${beat.words.map((words) => html`<p>${words}</p>`)}
    </div>
    ${state.film ? nothing : html`<button type="button" class="quiet">${t("hurry")}</button>`}
  </section>`;
}

/** @param {import("./types").Context} context */
function waiting(context) {
  const { state, act } = context;
  const { clock, table, isSealed } = state;
  const others = (clock?.awaited ?? []).filter((seat) => seat !== table?.seat);
  const who = others.map((seat) => nameOf(state, seat)).join(", ");
  const words = who
    ? t(isSealed ? "sealed_awaited" : "waiting", { who })
    : isSealed
      ? t("sealed")
      : (state.board?.headline ?? "");
  return html`<section class="card ask waits">
    <h2>${isSealed ? html`<span class="done">✓</span>` : nothing}<bdi>${words}</bdi></h2>
    ${others.length ? timeLeft(clock) : nothing}${clock?.words ? html`<p>${clock.words}</p>` : nothing}
    ${others.length && clock?.left !== null && state.table?.seat !== null ? html`<button type="button" class="plain" @click=${() => act.wait()}>${t("wait")}</button>` : nothing}
  </section>`;
}

/** @param {import("./types").Context} context */
function stoodIn({ state, act }) {
  if (!state.page?.by_bot) return nothing;
  return html`<section class="card ask bot">
    <p>${t("bot_plays")}</p>
    <button type="button" class="plain" @click=${() => act.bot(false)}>${t("bot_off")}</button>
  </section>`;
}

/**
 * Whether a reveal is still to be seen: until its last part has had its time and others are awaited.
 * @param {import("./types").PageState} state
 */
function isRevealing({ beat, clock }) {
  if (!beat?.words.length) return false;
  const isSeen = performance.now() > beat.at + beat.seconds * 1000;
  return beat.left > 0 || !isSeen || !clock || clock.at < beat.at;
}

/** @param {import("./types").Context} context */
function current(context) {
  const { state } = context;
  if (state.question) return questionPanel(context);
  if (state.explain) return nothing;
  if (isRevealing(state)) return reveal(context);
  if (state.ending || state.film || state.bye) return nothing;
  return waiting(context);
}

/**
 * All that stands in the place of the question.
 * @param {import("./types").Context} context
 * @param {unknown} controls  What leads a replay.
 */
export function panel(context, controls) {
  return html`<div class="panel">
    ${alarms(context)}${asks(context)}${stoodIn(context)}${explanation(context)}${current(context)}${controls}
  </div>`;
}

/** @param {import("./types").Context} context */
function alarms({ state, act }) {
  return state.alarms.map(
    (alarm) =>
      html`<section class="card alarm" role="alert">
        <b aria-hidden="true">!</b>
        <p>${alarm.words}</p>
        <button type="button" class="plain" @click=${() => act.open("proofs")}>
          ${t("proofs")}
        </button>
      </section>`,
  );
}
