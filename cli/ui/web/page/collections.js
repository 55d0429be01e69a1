/** The collections: one table, a row for each seat and a column for each letter, one's own row first. */

import { html, nothing } from "./vendor/lit-html.js";
import { repeat } from "./vendor/directives/repeat.js";
import { t } from "./labels.js";
import {
  back,
  card,
  icon,
  knownPieces,
  lettersOf,
  lyingPiece,
  mark,
  markedPiece,
  nameOf,
} from "./pieces.js";

const LETTERS = ["A", "B", "C", "D", "E", "F"];
const DENSE = 4;
const BACKS = 6;

/**
 * The seats in the order in which they are shown: the reader's first, then around the table.
 * @param {import("./types").Table} table
 */
function order({ seat, seats }) {
  const first = seat ?? 0;
  return seats.map((_, number) => (first + number) % seats.length);
}

/**
 * @param {import("./types").Context} context
 * @param {number} seat
 * @param {string} letter
 */
function cell(context, seat, letter) {
  const { state } = context;
  const { pieces, best, shown } = /** @type {import("./types").Board} */ (state.board).seats[seat];
  const held = pieces.filter((piece) => piece[1] === letter).sort((a, b) => a[2] - b[2]);
  const lit = shown ?? best ?? [];
  const slots = new Set(state.question?.slots);
  const dense = held.length >= DENSE ? `dense n${held.length}` : held.length === 3 ? "three" : "";
  const draw = (/** @type {import("./types").Piece} */ piece) => {
    const how = { home: `seat${seat}`, isBest: lit.includes(piece[0]) };
    return slots.has(piece[0]) ? markedPiece(context, piece, how) : lyingPiece(context, piece, how);
  };
  return html`<td role="cell" class=${held.length ? "" : "none"}>
    <div class="set ${dense}">
      ${repeat(held, (/** @type {import("./types").Piece} */ piece) => piece[0], draw)}
    </div>
  </td>`;
}

/**
 * What a seat does now, in a word and a colour.
 * @param {import("./types").PageState} state
 * @param {number} seat
 */
function doing(state, seat) {
  const board = /** @type {import("./types").Board} */ (state.board);
  const { status, presence } = board.seats[seat];
  if (presence === "banned") return html`<span class="st bad">${status || t("banned")}</span>`;
  if (presence !== "linked") return html`<span class="st warn">${status || t(presence)}</span>`;
  if (seat === state.table?.seat && state.question)
    return html`<span class="st todo">${t("your_turn")}</span>`;
  if (board.sealed.includes(seat)) return html`<span class="st ok">${t("sealed")}</span>`;
  if (!state.beat && !state.ending && board.awaited.includes(seat))
    return html`<span class="st">${t("thinking")}</span>`;
  return html`<span class="st">${status === "…" ? "" : status}</span>`;
}

/**
 * Who sits there: name, field, what the seat does, and the Action cards in its hand.
 * @param {import("./types").Context} context
 * @param {number} seat
 */
function identity(context, seat) {
  const { state } = context;
  const board = /** @type {import("./types").Board} */ (state.board);
  const { field, hand } = board.seats[seat];
  const full = state.table?.seats[seat].nickname ?? "";
  return html`<th role="rowheader" scope="row" class="c-id">
    <div class="id">
      ${mark(state, seat)}<bdi class="nick" title=${full}>${nameOf(state, seat)}</bdi>
      <span class="fld" title=${t("field_at", { field })}
        ><span class="sr">${t("field_at", { field })}</span
        ><span aria-hidden="true">${field}</span></span
      >${doing(state, seat)}
      <span class="hand">${hand.map((id) => card(context, id, { home: `hand${seat}` }))}</span>
    </div>
  </th>`;
}

/**
 * The letters of an exhibit, or the first, the last and how many if they are too many.
 * @param {string} letters
 */
const shortened = (letters) =>
  letters.length > 14 ? `${letters[0]}–${letters.at(-1)}: ${letters.length}` : letters;

/**
 * The best exhibit that is known, or the one that is shown; and how many pieces are hidden.
 * @param {import("./types").Context} context
 * @param {number} seat
 */
function summary({ state }, seat) {
  const { best, shown, pieces, unknown } = /** @type {import("./types").Board} */ (state.board)
    .seats[seat];
  const known = knownPieces(state.board);
  const slots = shown ?? best;
  const years = (slots ?? []).map((slot) => known.get(slot)?.[2] ?? 9999);
  return html`<td role="cell" class="c-best ${pieces.length || unknown ? "" : "none"}">
    ${slots?.length ? html`<span class="letters ${slots.length > 8 ? "long" : ""}">${shortened(lettersOf(known, slots))}</span><small>${t("oldest", { year: Math.min(...years) })}</small>` : nothing}
    ${unknown ? html`<span class="hidden"><span class="backs">${[...Array(Math.min(unknown, BACKS))].map(() => back("tiny"))}</span><small>${t("hidden", { number: unknown })}</small></span>` : nothing}
  </td>`;
}

/**
 * @param {import("./types").Context} context
 * @param {number} seat
 */
function row(context, seat) {
  const { state } = context;
  const isOwn = seat === state.table?.seat;
  const presence = state.board?.seats[seat].presence;
  return html`<tr role="row" class="${isOwn ? `own ${context.pointed("own")}` : ""} ${presence}">
    ${identity(context, seat)}${LETTERS.map((letter) => cell(context, seat, letter))}${summary(context, seat)}
  </tr>`;
}

/**
 * The head of the column of a letter.
 * @param {string} letter
 * @param {string} kind What its pieces are.
 */
function head(letter, kind) {
  return html`<th role="columnheader" scope="col" class="L-${letter}" title=${kind}>
    ${icon(letter)}<b>${letter}</b> <span class="kind">${kind}</span>
  </th>`;
}

/** @param {import("./types").Context} context */
export function collections(context) {
  const { table } = context.state;
  if (!table) return nothing;
  return html`<section
    class="card rows seats-${table.seats.length} ${context.pointed("collections")}"
    aria-label=${t("pieces")}
    tabindex="0"
  >
    <table role="table">
      <caption class="sr">
        ${t("pieces")}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col" class="c-id"><span class="sr">${t("seat")}</span></th>
          ${LETTERS.map((letter) => head(letter, table.edition.categories[letter] ?? ""))}
          <th role="columnheader" scope="col" class="c-best">${t("best_exhibit")}</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${repeat(
          order(table),
          (/** @type {number} */ seat) => seat,
          (/** @type {number} */ seat) => row(context, seat),
        )}
      </tbody>
    </table>
  </section>`;
}
