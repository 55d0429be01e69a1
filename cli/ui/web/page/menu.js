/** The menu: pages, settings, mute, a bot, and leaving; and the list of keys. */

import { html, nothing } from "./vendor/lit-html.js";
import { t } from "./labels.js";
import { setupAsk } from "./setup.js";

const SHEETS = ["recap", "pieces", "rules", "proofs", "links", "numbers"];
const BEFORE_A_GAME = ["rules"];

/**
 * @param {string} words
 * @param {() => void} click
 */
const item = (words, click) =>
  html`<li><button type="button" class="plain" @click=${click}>${words}</button></li>`;

/** @param {import("./types").Context} context */
function settings({ state, act }) {
  const { settings, languages } = /** @type {import("./types").Page} */ (state.page);
  const isLight = settings.light ?? !matchMedia("(prefers-color-scheme: dark)").matches;
  return html`<ul class="choices">
      ${item(t("light_or_dark"), () => act.set({ light: !isLight }))}
      ${item(t(settings.sound ? "sound_off" : "sound_on"), () => act.set({ sound: !settings.sound }))}
      ${item(t(settings.staged ? "staged_off" : "staged_on"), () => act.set({ staged: !settings.staged }))}
      ${act.mayNotify ? item(t("notify"), () => act.notify()) : nothing}
    </ul>
    <div class="tiles" role="group" aria-label=${t("language")}>
      ${Object.entries(languages).map(([code, name]) => html`<button type="button" class="plain" lang=${code} aria-pressed=${code === state.hello?.language} @click=${() => act.set({ language: code })}>${name}</button>`)}
    </div>`;
}

/** @param {import("./types").Context} context */
function muting({ state, act }) {
  if (!state.page?.may_talk) return nothing;
  const others = (state.table?.seats ?? []).filter((seat) => seat.seat !== state.table?.seat);
  return html`<ul class="choices">
    ${others.map(({ seat, nickname }) => item(t(act.muted.has(seat) ? "hear" : "mute", { who: nickname }), () => act.mute(seat)))}
    ${others.length ? item(t(act.muted.has(null) ? "hear_onlookers" : "mute_onlookers"), () => act.mute(null)) : nothing}
  </ul>`;
}

/** @param {import("./types").Context} context */
function leaving({ state, act }) {
  const { mode, by_bot } = /** @type {import("./types").Page} */ (state.page);
  const plays = mode !== "watch" && mode !== "replay";
  const leave =
    mode === "learn"
      ? "leave_lesson"
      : plays
        ? "leave"
        : mode === "watch"
          ? "stop_watching"
          : "leave_table";
  return html`<ul class="choices">
    ${plays && state.table && mode !== "learn" ? item(t(by_bot ? "bot_off" : "bot_on"), () => act.bot(!by_bot)) : nothing}
    ${item(t(leave), () => act.leave())}
  </ul>`;
}

/** @param {import("./types").Context} context */
export function menu(context) {
  const { act, state } = context;
  const sheets = state.table ? SHEETS : BEFORE_A_GAME;
  return html`<h2 id="dialog-title">${t("menu")}</h2>
    <div class="pages menu">
      <ul class="tiles">
        ${sheets.map((name) => item(t(name), () => act.open(name)))}${item(t("keys"), () => act.keys())}
      </ul>
      ${settings(context)}${muting(context)}${setupAsk(state) ? nothing : leaving(context)}
    </div>
    <form method="dialog"><button class="plain close">${t(state.table ? "stay" : "close")}</button></form>`;
}

const KEYS = [
  ["1–9 ↑ ↓", "key_pick"],
  ["← → ␣", "key_mark"],
  ["⏎", "seal"],
  ["b", "recap"],
  ["i", "pieces"],
  ["r", "rules"],
  ["o", "proofs"],
  ["p", "links"],
  ["#", "numbers"],
  ["h", "hint"],
  ["t", "talk"],
  ["w", "wait"],
  ["a", "key_bot"],
  ["s", "save_picture"],
  ["y n", "key_yes_no"],
  ["Esc", "menu"],
];

/** The keys, each with what it does. */
export function keyList() {
  return html`<h2 id="dialog-title">${t("keys")}</h2>
    <dl class="pages key-list" tabindex="0">
      ${KEYS.map(
        ([key, name]) =>
          html`<div>
            <dt><kbd>${key}</kbd></dt>
            <dd>${t(name)}</dd>
          </div>`,
      )}
    </dl>
    <form method="dialog"><button class="plain close">${t("close")}</button></form>`;
}
