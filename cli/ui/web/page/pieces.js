/** Pieces, Action cards and marks of seats: the small things that lie everywhere on the table. */

import { html, nothing, svg } from "./vendor/lit-html.js";
import { t } from "./labels.js";

/**
 * A picture of the sprite.
 * @param {string} name
 */
export const icon = (name) =>
  html`<svg class="icon" viewBox="0 0 32 32" aria-hidden="true">
    <use href="#i-${name}"></use>
  </svg>`;

/**
 * The mark of a seat: its letter on its colour.
 * @param {import("./types").PageState} state
 * @param {number} seat
 */
export function mark(state, seat) {
  const colour = state.board?.seats[seat]?.colour || "none";
  return html`<span class="mark s-${colour}" aria-hidden="true"
    >${state.table?.seats[seat]?.mark}</span
  >`;
}

/**
 * The name of a seat. One's own is "You".
 * @param {import("./types").PageState} state
 * @param {number} seat
 */
export function nameOf(state, seat) {
  if (seat === state.table?.seat) return t("you");
  return state.table?.seats[seat]?.nickname ?? "";
}

/**
 * Every piece that the reader knows, by slot.
 * @param {import("./types").Board | null} board
 * @returns {Map<number, import("./types").Piece>}
 */
export function knownPieces(board) {
  const held = (board?.seats ?? []).flatMap((seat) => seat.pieces);
  return new Map(held.map((piece) => [piece[0], piece]));
}

/**
 * The pieces in these slots that the reader knows, by letter and year.
 * @param {Map<number, import("./types").Piece>} known
 * @param {number[]} slots
 */
export function piecesIn(known, slots) {
  const found = slots.flatMap((slot) =>
    known.has(slot) ? [/** @type {import("./types").Piece} */ (known.get(slot))] : [],
  );
  return found.sort((a, b) => a[1].localeCompare(b[1]) || a[2] - b[2]);
}

/**
 * What a piece is called, with the name that the edition gives it.
 * @param {import("./types").PageState} state
 * @param {import("./types").Piece} piece
 */
export function title(state, [, letter, year, secret]) {
  const found = state.table?.edition.collectibles.find(
    (one) => one.letter === letter && one.year === year,
  );
  const name = found ? `${letter} ${year} · ${found.name}` : `${letter} ${year}`;
  return secret ? `${name} · ${t("secret")}` : name;
}

/** @param {import("./types").Piece} piece */
const face = ([, letter, year, secret]) =>
  html`<b class="l">${letter}</b>${icon(letter)}<span class="y">${year}</span
    >${secret ? html`<i class="dot" aria-hidden="true">*</i><span class="sr">${t("secret")}</span>` : nothing}`;

/**
 * A piece that lies on the table.
 * @param {import("./types").Context} context
 * @param {import("./types").Piece} piece
 * @param {{size?: string, home?: string, isBest?: boolean, isNew?: boolean}} [how] `home` is where it lies: a piece that changes
 *   its home is seen to glide.
 */
export function lyingPiece({ state }, piece, { size = "", home, isBest = false } = {}) {
  const classes = `piece L-${piece[1]} ${size} ${piece[3] ? "secret" : ""} ${isBest ? "best" : ""}`;
  return html`<span
    class=${classes}
    title=${title(state, piece)}
    data-key=${home ? `p${piece[0]}` : nothing}
    data-home=${home ?? nothing}
    >${face(piece)}</span
  >`;
}

/**
 * A piece that can be marked, for an exhibit or as loot.
 * @param {import("./types").Context} context
 * @param {import("./types").Piece} piece
 * @param {{size?: string, home?: string, isBest?: boolean}} [how]
 */
export function markedPiece({ state, act }, piece, { size = "", home, isBest = false } = {}) {
  const isOn = state.picked.has(piece[0]);
  const classes = `piece can L-${piece[1]} ${size} ${piece[3] ? "secret" : ""} ${isOn ? "on" : ""} ${isBest ? "best" : ""}`;
  return html`<button
    type="button"
    class=${classes}
    title=${title(state, piece)}
    aria-pressed=${isOn}
    data-slot=${piece[0]}
    data-key=${home ? `p${piece[0]}` : nothing}
    data-home=${home ?? nothing}
    @click=${() => act.mark(piece[0])}
  >
    ${face(piece)}
  </button>`;
}

/** The back of a piece that the reader does not know. */
export const back = (/** @type {string} */ size = "") =>
  html`<span class="piece back ${size}" aria-hidden="true"></span>`;

/**
 * An Action card.
 * @param {import("./types").Context} context
 * @param {number} id
 * @param {{home?: string, size?: string}} [how]
 */
export function card({ state }, id, { home, size = "" } = {}) {
  const found = state.table?.cards[id];
  if (!found) return nothing;
  const kind = found.kind.toLowerCase();
  const name = t(kind);
  return html`<span
    class="act ${kind} ${size} e-${found.colour}"
    title="${name} ${found.number ?? ""}"
    data-key=${home ? `c${id}` : nothing}
    data-home=${home ?? nothing}
    >${icon(kind)}<span class="sr">${name} </span>${found.number}</span
  >`;
}

/**
 * The letters of an exhibit in order, such as BCCDD.
 * @param {Map<number, import("./types").Piece>} known
 * @param {number[]} slots
 */
export function lettersOf(known, slots) {
  return slots
    .map((slot) => known.get(slot)?.[1] ?? "?")
    .sort()
    .join("");
}

export { svg };
