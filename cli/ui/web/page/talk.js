/** What has happened and what was said, newest first, and the line to talk. */

import { html, nothing } from "./vendor/lit-html.js";
import { t } from "./labels.js";
import { icon, mark } from "./pieces.js";

/**
 * @param {import("./types").Context} context
 * @param {import("./types").StoryLine} line
 */
function told({ state }, { kind, words, seat, who, isOwn }) {
  if (kind !== "said") return html`<li class="line-${kind}">${words}</li>`;
  return html`<li class="line-said ${isOwn ? "own" : ""}">
    ${seat === null ? nothing : mark(state, seat)}<span
      ><bdi class="nick">${who}</bdi> <bdi>${words}</bdi></span
    >
  </li>`;
}

/** @param {import("./types").Context} context */
export function log(context) {
  const { state, act } = context;
  const heard = state.story.filter(({ kind, seat }) => kind !== "said" || !act.muted.has(seat));
  return html`<section class="card log" aria-label=${t("log")} tabindex="0">
    <h2>${t("log")}</h2>
    <ol reversed>
      ${[...heard].reverse().map((line) => told(context, line))}
    </ol>
  </section>`;
}

/** @param {import("./types").Context} context */
export function talk({ state, act }) {
  if (!state.page?.may_talk || state.link === "over") return nothing;
  const say = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (
      /** @type {HTMLFormElement} */ (event.target).elements.namedItem("words")
    );
    if (field.value.trim()) act.say(field.value.trim());
    field.value = "";
  };
  return html`<form class="card talk" @submit=${say}>
    <label class="sr" for="words">${t("talk")}</label
    ><input id="words" name="words" maxlength="200" autocomplete="off" placeholder=${t("talk")} />
    <button
      type="button"
      aria-label=${t("phrases")}
      title=${t("phrases")}
      @click=${() => act.phrases()}
    >
      ${icon("smile")}
    </button>
    <button aria-label=${t("send")} title=${t("send")}>${icon("send")}</button>
  </form>`;
}
