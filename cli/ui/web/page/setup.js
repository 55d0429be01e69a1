/** The questions of the first run: a nickname, the language, and against whom. */

import { html, nothing } from "./vendor/lit-html.js";
import { t } from "./labels.js";
import { nicknameField } from "./nickname.js";

/** @param {import("./types").PageState} state */
export const setupAsk = (state) => [...state.asks.values()].find((ask) => ask.form === "setup");

/**
 * @param {import("./types").Context} context
 * @param {import("./types").Ask} ask
 */
function answered({ act }, ask) {
  return (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const pressed = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value;
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const text = (/** @type {string} */ name) => String(given.get(name) ?? "");
    act.setup({
      ask: ask.id,
      nickname: text("nickname").trim() || null,
      language: text("language"),
      level: text("level"),
      lesson: pressed === "lesson",
    });
  };
}

/** @param {import("./types").Context} context */
export function setup(context) {
  const { state, act } = context;
  const ask = /** @type {import("./types").Ask} */ (setupAsk(state));
  const { nickname, language, level, levels, offers_lesson } = ask.fields;
  const languages = Object.entries(state.page?.languages ?? {});
  return html`<main id="main" class="page-setup">
    <form class="card setup" @submit=${answered(context, ask)}>
      <h2>${ask.words}</h2>
      ${nicknameField(t("nickname"), { value: nickname ?? "", placeholder: t("nickname_new") })}
      ${state.complaint ? html`<p class="say bad">${state.complaint}</p>` : nothing}
      <fieldset>
        <legend>${t("language")}</legend>
        <div class="tiles">
          ${languages.map(([code, name]) => html`<label class="opt tile"><input type="radio" name="language" value=${code} ?checked=${code === language} @change=${() => act.set({ language: code })} /><span lang=${code}>${name}</span></label>`)}
        </div>
      </fieldset>
      <fieldset>
        <legend>${t("bots")}</legend>
        <div class="tiles">
          ${levels.map((/** @type {{level: string, words: string}} */ one) => html`<label class="opt tile"><input type="radio" name="level" value=${one.level} ?checked=${one.level === level} /><span>${one.words}</span></label>`)}
        </div>
      </fieldset>
      <div class="buttons">
        ${offers_lesson ? html`<button class="seal" value="lesson" ?disabled=${state.isSent}>${t("lesson")}</button>` : nothing}<button
          class=${offers_lesson ? "plain" : "seal"}
          value="play"
          ?disabled=${state.isSent}
        >
          ${t("play_bots")}
        </button>
      </div>
    </form>
  </main>`;
}
