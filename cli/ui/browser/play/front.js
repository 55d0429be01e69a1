/** What a person wants who has come without a link: to open a table, to sit down, or to watch. */

import { nicknameField } from "../../web/page/nickname.js";
import { html, nothing, render } from "../../web/page/vendor/lit-html.js";

const SEATS = [2, 3, 4, 5, 6];
const USUAL = 3;

/**
 * Show the form.
 * @param {(name: string) => string} t  Returns a label.
 * @param {{why?: string, word?: string, nickname: string, seat: string}} last  What was answered
 *     before, and the address of the last table.
 * @param {(wish: import("./play.js").Wish) => void} answer
 */
export function front(t, last, answer) {
  const place = /** @type {HTMLElement} */ (document.getElementById("site"));
  const submitted = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const act = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value || "sit";
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const text = (/** @type {string} */ name) => String(given.get(name) ?? "").trim();
    const word = text("word");
    if (act !== "host" && !word) {
      const field = /** @type {HTMLInputElement} */ (place.querySelector("#word"));
      field.required = true;
      return field.reportValidity();
    }
    const start = document.createElement("p");
    start.id = "start";
    start.className = "alone";
    place.replaceChildren(start);
    const wish = { act, nickname: text("nickname") };
    const seats = Number(text("seats"));
    answer(act === "host" ? { ...wish, seats, asks: given.has("asks") } : { ...wish, word });
  };
  // A new one each time: lit takes what it has drawn in one for its own, even if it is gone.
  const form = document.createElement("div");
  place.replaceChildren(form);
  render(
    html`<main class="page-setup">
      <form class="card setup" novalidate @submit=${submitted}>
        <h1>Hoity Toity</h1>
        <p>${t("front")}</p>
        ${last.seat ? html`<p><a href=${last.seat}>${t("go_back")}</a></p>` : nothing}
        ${last.why ? html`<p class="say bad" role="alert">${last.why}</p>` : nothing}
        ${nicknameField(t("name"), { value: last.nickname })}
        <label for="word">${t("join_word")}</label
        ><input
          id="word"
          name="word"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          .value=${last.word ?? ""}
        />
        <div class="buttons">
          <button class="seal" value="sit">${t("join")}</button
          ><button class="plain" value="watch">${t("watch")}</button>
        </div>
        <fieldset>
          <legend>${t("seats")}</legend>
          <div class="tiles">
            ${SEATS.map((one) => html`<label class="opt tile"><input type="radio" name="seats" value=${one} ?checked=${one === USUAL} /><span>${one}</span></label>`)}
          </div>
          <label class="tick"><input type="checkbox" name="asks" />${t("ask_guests")}</label>
        </fieldset>
        <div class="buttons"><button class="seal" value="host">${t("begin")}</button></div>
        <p class="dim">${t("trust").replace("{server}", location.host)}</p>
      </form>
    </main>`,
    form,
  );
}
