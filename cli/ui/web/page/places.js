/** The Auction Hall with its windows and register, and the Castle with its exhibits and prison. */

import { html, nothing } from "./vendor/lit-html.js";
import { t } from "./labels.js";
import { back, card, icon, knownPieces, lyingPiece, mark, nameOf, piecesIn } from "./pieces.js";
import { octagonWords } from "./track.js";

/**
 * @param {import("./types").Context} context
 * @param {import("./types").WindowState} window
 * @param {number} number
 */
function hallWindow(context, window, number) {
  const { top, size } = window;
  const entry =
    context.state.question?.kind === "window"
      ? context.state.question.entries.findIndex((one) => one.choice === number)
      : -1;
  const isChosen = entry >= 0 && context.state.chosen === entry;
  const name = t("window", { number: number + 1 });
  const inside = html`${top ? lyingPiece(context, top, { size: "big", home: "window" }) : size ? back("big") : html`<span class="piece big gone"></span>`}
    <span class="n">${name}<b title=${name}>×${size}</b></span>`;
  return entry >= 0
    ? html`<li>
        <button
          type="button"
          class="win can ${isChosen ? "on" : ""}"
          tabindex="-1"
          @click=${() => context.act.choose(entry)}
        >
          ${inside}
        </button>
      </li>`
    : html`<li class="win">${inside}</li>`;
}

/**
 * Who is in a Place, with the card that was played and what it brought.
 * @param {import("./types").Context} context
 * @param {string} place
 */
function company(context, place) {
  const { state } = context;
  const board = /** @type {import("./types").Board} */ (state.board);
  const here = board.seats.flatMap((one, seat) => (one.place === place ? [seat] : []));
  const showing = here.filter((seat) => board.seats[seat].shown?.length);
  const others = here.filter((seat) => !showing.includes(seat));
  return html`<ul class="who">
    ${showing.map((seat) => stand(context, seat))}${others.map((seat) => attendant(context, seat))}
  </ul>`;
}

/**
 * @param {import("./types").Context} context
 * @param {number} seat
 */
function attendant(context, seat) {
  const { action, got } = /** @type {import("./types").Board} */ (context.state.board).seats[seat];
  return html`<li class="at">
    ${mark(context.state, seat)}<bdi class="nick">${nameOf(context.state, seat)}</bdi>
    ${action === null ? nothing : card(context, action, { home: "played", size: "big" })}${got ? html`<span class="got">${got}</span>` : nothing}
  </li>`;
}

/**
 * An exhibit on its stand.
 * @param {import("./types").Context} context
 * @param {number} seat
 */
function stand(context, seat) {
  const { state } = context;
  const board = /** @type {import("./types").Board} */ (state.board);
  const known = knownPieces(board);
  const shown = piecesIn(known, board.seats[seat].shown ?? []);
  return html`<li class="stand">
    ${mark(state, seat)}<bdi class="nick sr">${nameOf(state, seat)}</bdi>
    <span class="run">${shown.map((piece) => lyingPiece(context, piece, { size: "mini" }))}</span>
  </li>`;
}

/** @param {import("./types").Context} context */
function hall(context) {
  const { board } = context.state;
  if (!board) return nothing;
  return html`<section class="card place hall ${context.pointed("hall")}" aria-label=${t("hall")}>
    <h2>${icon("gavel")}${t("hall")}</h2>
    <div class="counter">
      <ul class="wins ${context.pointed("windows")}">
        ${board.windows.map((one, number) => hallWindow(context, one, number))}
      </ul>
      <div class="reg ${context.pointed("register")}">
        <h3>${t("register")}</h3>
        <div class="chips">
          ${board.register.map((id) => card(context, id, { home: "register" }))}
        </div>
      </div>
    </div>
    ${company(context, "Auction Hall")}
  </section>`;
}

/** @param {import("./types").Context} context */
function castle(context) {
  const { board } = context.state;
  if (!board) return nothing;
  return html`<section
    class="card place castle ${context.pointed("castle")}"
    aria-label=${t("castle")}
  >
    <h2>${icon("castle")}${t("castle")}<small>${octagonWords(context.state)}</small></h2>
    ${company(context, "Castle")}
    <div class="gaol ${context.pointed("prison")}">
      <h3>${t("prison")}</h3>
      <ol class="cells">
        ${board.prison.map((id) => html`<li class="cell">${id === null ? html`<span class="sr">${t("none")}</span>` : card(context, id, { home: "prison" })}</li>`)}
      </ol>
    </div>
  </section>`;
}

/**
 * Both Places. On a phone the one where the player stands comes first.
 * @param {import("./types").Context} context
 */
export function places(context) {
  const { table, board } = context.state;
  const own = table && table.seat !== null ? board?.seats[table.seat] : undefined;
  const choosesThere = context.state.question?.kind === "window" || own?.place === "Auction Hall";
  return html`<div class="places ${choosesThere ? "" : "castle-first"}">
    ${hall(context)}${castle(context)}
  </div>`;
}
