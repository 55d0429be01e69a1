/** The table while it fills, and the deal. */

import { html, nothing } from "./vendor/lit-html.js";
import { t } from "./labels.js";
import { asks } from "./side.js";

/** @param {import("./types").Context} context */
function seated({ state }) {
  const { names, seats, pages } = /** @type {import("./types").Lobby} */ (state.lobby);
  // Such as that the host is asked whether this guest may sit down.
  const last = state.story.at(-1);
  const places = [...Array(Math.max(seats, names.length)).keys()];
  return html`<section class="card seated">
    <h2>${seats ? t("seated", { number: names.length, seats }) : t("table_fills")}</h2>
    <ol>
      ${places.map((place) => html`<li class=${names[place] ? "" : "free"}><span class="chair" aria-hidden="true">${place + 1}</span><bdi>${names[place] ?? "…"}</bdi></li>`)}
    </ol>
    ${last ? html`<p>${last.words}</p>` : nothing}
    ${pages.map((line) => html`<p class="dim">${line}</p>`)}
  </section>`;
}

/**
 * Words that the host gives to the others.
 * @param {"link" | "ticket"} name
 * @param {string} title
 * @param {string} words
 * @param {import("./types").Actions} act
 */
const given = (name, title, words, act) =>
  html`<h2>${title}</h2>
    <p class="copyable" id=${name}>${words}</p>
    <div class="buttons">
      <button type="button" class="seal" @click=${() => act.copy(words)}>${t("copy")}</button>
      ${"share" in navigator ? html`<button type="button" class="plain" @click=${() => act.share(words)}>${t("share")}</button>` : nothing}
      <button type="button" class="plain" @click=${() => act.open(name)}>QR</button>
    </div>`;

/** @param {import("./types").Context} context */
function ticket({ state, act }) {
  const { ticket, link, code, reasons } = /** @type {import("./types").Lobby} */ (state.lobby);
  if (!ticket) return nothing;
  return html`<section class="card ticket">
    ${link ? given("link", t(act.socket.again ? "give_own_link" : "give_link"), link, act) : nothing}${given("ticket", t("give_ticket", { hoity: "hoity" }), ticket, act)}
    ${code ? html`<p class="code"><b>${code}</b><button type="button" class="plain" @click=${() => act.copy(code)}>${t("copy")}</button></p>` : nothing}
    ${reasons.map((one) => html`<p>${one.words}</p>`)}
  </section>`;
}

/** @param {import("./types").Context} context */
function terms({ state }) {
  const { lines } = /** @type {import("./types").Lobby} */ (state.lobby);
  return lines.length
    ? html`<section class="card terms">
        <ul>
          ${lines.map((line) => html`<li>${line}</li>`)}
        </ul>
      </section>`
    : nothing;
}

/** @param {import("./types").Context} context */
export function lobby(context) {
  return html`<main id="main" class="page-lobby">
    <div>${asks(context)}${seated(context)}</div>
    <div>${ticket(context)}${terms(context)}</div>
  </main>`;
}

/** @param {import("./types").Context} context */
export function deal({ state }) {
  const { done, total, words, promises } = state.deal ?? {
    done: 0,
    total: 1,
    words: "",
    promises: [],
  };
  return html`<main id="main" class="page-deal">
    <section class="card">
      <h2>${t("shuffled")}</h2>
      <progress max=${total} value=${done} aria-label=${t("shuffled")}></progress>
      <p class="told">${words || "…"}</p>
      <ul class="keys">
        ${state.table?.seats.map((seat) => html`<li><span class="mark s-none" aria-hidden="true">${seat.mark}</span><bdi class="nick">${seat.nickname}</bdi><code>${seat.fingerprint ?? seat.table_key}</code></li>`)}
      </ul>
      ${promises.map((promise) => html`<p class="dim">${promise}</p>`)}
    </section>
  </main>`;
}
