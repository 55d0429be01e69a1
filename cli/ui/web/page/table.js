/** The whole page: which of its screens is shown, its head line, and its one dialog. */

import { html, nothing } from "./vendor/lit-html.js";
import { collections } from "./collections.js";
import { ending } from "./ending.js";
import { t } from "./labels.js";
import { deal, lobby } from "./lobby.js";
import { keyList, menu } from "./menu.js";
import { icon } from "./pieces.js";
import { places } from "./places.js";
import { replay } from "./replay.js";
import { setup, setupAsk } from "./setup.js";
import { asked, phrases, sheet } from "./sheet.js";
import { asks, explanation, modalAsk, panel } from "./side.js";
import { log, talk } from "./talk.js";
import { track } from "./track.js";

/** Milliseconds without a socket after which the program has probably ended. */
const GONE = 15_000;
/** Milliseconds without a socket that are not worth a word. */
const SHORT = 700;
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** @param {import("./types").Context} context */
function bar({ state, act }) {
  const { board, page, table } = state;
  const headline = state.ending ? t("over") : (board?.headline ?? "");
  const linked = board?.seats.filter((seat) => seat.presence === "linked").length ?? 0;
  const isOver = state.link === "over";
  const game =
    table && board && !isOver
      ? html`<button type="button" class="pill wide" @click=${() => act.open("links")}>
            ${t("linked_of", { linked, seats: board.seats.length })}
          </button>
          <button type="button" class="pill wide" @click=${() => act.open("proofs")}>
            ${t("proofs")}
          </button>`
      : nothing;
  return html`<header class="bar">
    ${headline ? html`<p class="name" aria-hidden="true">Hoity Toity</p>` : nothing}
    <h1 class=${headline ? "now" : "name"}>${headline || "Hoity Toity"}</h1>
    ${game}
    ${page?.has_hints && state.question ? html`<button type="button" class="pill hint" @click=${() => act.open("advice")}>${t("hint")}</button>` : nothing}
    ${
      page && !isOver
        ? html`<button
              type="button"
              class="pill round wide"
              aria-label=${t("keys")}
              title=${t("keys")}
              @click=${() => act.keys()}
            >
              ${icon("help")}
            </button>
            <button
              type="button"
              class="pill round"
              aria-label=${t("menu")}
              title=${t("menu")}
              @click=${() => act.menu()}
            >
              ${icon("menu")}
            </button>`
        : nothing
    }
  </header>`;
}

/** @param {import("./types").Context} context */
function notice({ state, act }) {
  if (state.link === "lost" && performance.now() - state.lostAt > SHORT)
    return html`<p class="notice" role="alert">
      ${t(performance.now() - state.lostAt > GONE ? "ended" : "lost")}
    </p>`;
  if (state.link === "replaced")
    return html`<p class="notice" role="alert">
      ${t("elsewhere")}
      <button type="button" class="plain" @click=${() => act.takeOver()}>${t("take_over")}</button>
    </p>`;
  if (state.link === "over")
    return html`<p class="notice" role="alert">
      ${state.bye?.words} ${act.socket.again ? nothing : t("may_close")}
      ${act.socket.again ? html`<button type="button" class="plain" @click=${() => act.socket.again?.()}>${t("load_again")}</button>` : nothing}
    </p>`;
  return nothing;
}

/** @param {import("./types").Context} context */
function game(context) {
  const { state } = context;
  const side = html`<aside class="side">
    ${panel(context, state.film ? replay(context) : nothing)}${log(context)}${talk(context)}
  </aside>`;
  if (state.ending)
    return html`<main id="main" class="page-ending">
      <div class="over">${ending(context)}${collections(context)}</div>
      ${side}
    </main>`;
  return html`<main id="main" class="page-table">
    ${track(context)}${places(context)}${collections(context)}${side}
  </main>`;
}

/** @param {string} words */
const alone = (words) => html`<main id="main" class="alone"><p>${words}</p></main>`;

/** @param {import("./types").Context} context */
function screen(context) {
  const { state } = context;
  if (state.link === "nowhere" || state.link === "refused")
    return alone(t(LOOPBACK.includes(location.hostname) ? "link_used" : "here_only"));
  if (setupAsk(state)) return setup(context);
  if (state.ending && !state.board)
    return html`<main id="main" class="page-ending">
      <div class="over">${ending(context)}</div>
    </main>`;
  if (state.board && state.table) return game(context);
  if (state.table) return deal(context);
  if (state.lobby) return lobby(context);
  if (state.asks.size || state.explain)
    return html`<main id="main" class="page-lobby">
      <div>${asks(context)}${explanation(context)}</div>
    </main>`;
  return state.bye || state.link === "replaced" ? nothing : alone(t("connecting"));
}

/**
 * What the dialog shows, `null` if it is closed.
 * @param {import("./types").Context} context
 */
export function dialogContent(context) {
  const { state, act } = context;
  const ask = modalAsk(state);
  if (ask) return asked(context, ask);
  if (state.sheet) return sheet(context);
  if (act.dialog === "menu") return menu(context);
  if (act.dialog === "keys") return keyList();
  if (act.dialog === "phrases") return phrases(context);
  return null;
}

/** @param {import("./types").Context} context */
export function wholePage(context) {
  const { state, act } = context;
  return html`${
      state.question
        ? html`<a
            class="skip"
            href="#choice"
            @click=${(/** @type {Event} */ event) => {
              event.preventDefault();
              act.focusChoice();
            }}
            >${t("to_choice")}</a
          >`
        : nothing
    }
    ${bar(context)}${notice(context)}${screen(context)}
    <dialog id="dialog" aria-labelledby="dialog-title" @close=${() => act.dismiss()}>
      ${dialogContent(context) ?? nothing}
    </dialog>
    ${act.remark ? html`<p class="remark">${act.remark}</p>` : nothing}`;
}
