/** The score track: one SVG that winds by the width, and the race in words for phones and screen readers. */

import { html, nothing, svg } from "./vendor/lit-html.js";
import { t } from "./labels.js";
import { mark, nameOf } from "./pieces.js";

const CELL = 52;
const ROW = 59;
const MIDDLE = 38;

/**
 * Where the middle of a field is: every second row runs backwards.
 * @param {number} field
 * @param {number} columns
 * @returns {[number, number]}
 */
function centre(field, columns) {
  const row = Math.floor(field / columns);
  const step = field % columns;
  const column = row % 2 ? columns - 1 - step : step;
  return [CELL * (column + 0.5), ROW * row + MIDDLE];
}

const OCTAGON = "-10,-21 10,-21 21,-10 21,10 10,21 -10,21 -21,10 -21,-10";

/**
 * @param {import("./types").Edition} edition
 * @param {number} field
 * @param {number} columns
 * @param {boolean} isPaying
 */
function cell(edition, field, columns, isPaying) {
  const [x, y] = centre(field, columns);
  const octagon = edition.octagons[field];
  const isBanquet = field >= edition.banquet;
  const paying = isPaying ? " pay" : "";
  const shape = isBanquet
    ? svg`<circle class="oct banquet${paying}" r="20"></circle><circle class="plate" r="13"></circle>
      <text class="fno inner" y="4.500">${field}</text>`
    : svg`<polygon class="oct${paying}" points=${OCTAGON}></polygon><text class="fno" y="-8">${field}</text>`;
  const pays =
    octagon && !isBanquet
      ? svg`<text class="pays" y="13">${octagon[0]}<tspan class="second" dx="5">${octagon[1]}</tspan></text>`
      : nothing;
  return svg`<g transform="translate(${x} ${y})">${shape}${pays}</g>`;
}

/**
 * Where one of several figures stands on its field: up to three beside each other, more in two rows.
 * @param {number} place
 * @param {number} size
 */
function standing(place, size) {
  if (size <= 3) return [(place - (size - 1) / 2) * 16, 0];
  const front = Math.ceil(size / 2);
  const [column, across, up] =
    place < front ? [place, front, -5] : [place - front, size - front, 8];
  return [(column - (across - 1) / 2) * 16, up];
}

/**
 * Figures on one field stand beside each other on its upper rim.
 * @param {import("./types").PageState} state
 * @param {number} seat
 * @param {number} columns
 */
function figure(state, seat, columns) {
  const { seats } = /** @type {import("./types").Board} */ (state.board);
  const company = seats.flatMap((one, number) => (one.field === seats[seat].field ? [number] : []));
  const [x, y] = centre(seats[seat].field, columns);
  const [aside, up] = standing(company.indexOf(seat), company.length);
  const where = `transform: translate(${x + aside}px, ${y - 20 - up}px)`;
  return svg`<g class="figure s-${seats[seat].colour || "none"}" .style=${where}>
    <path d="M0 -13a5.500 5.500 0 0 1 3.600 9.700C7 -1 8.500 5 9 12H-9C-8.500 5 -7 -1 -3.600 -3.300A5.500 5.500 0 0 1 0 -13z"></path>
    <text y="9">${state.table?.seats[seat].mark}</text></g>`;
}

/**
 * @param {import("./types").Context} context
 * @param {number} columns
 */
function drawing({ state }, columns) {
  const { table, board } = state;
  if (!table || !board) return nothing;
  const size = table.edition.last_field + 1;
  const across = Math.min(columns, size);
  const fields = [...Array(size).keys()];
  const path = fields.map((field) => centre(field, across).join(",")).join(" ");
  const height = ROW * Math.ceil(size / across) + 4;
  const order = board.seats
    .map((_, seat) => seat)
    .sort((a, b) => board.seats[b].field - board.seats[a].field);
  return html`<svg
    class="course"
    viewBox="0 0 ${CELL * across} ${height}"
    aria-hidden="true"
    .style=${`max-width: ${CELL * 1.15 * across}px`}
  >
    <polyline class="way" points=${path}></polyline>
    ${fields.map((field) => cell(table.edition, field, across, field === board.leader))}
    ${order.map((seat) => figure(state, seat, across))}
  </svg>`;
}

/**
 * The race in words: who is ahead, with what is paid there.
 * @param {import("./types").Context} context
 */
function race({ state }) {
  const board = /** @type {import("./types").Board} */ (state.board);
  const order = board.seats
    .map((_, seat) => seat)
    .sort((a, b) => board.seats[a].rank - board.seats[b].rank);
  return html`<div class="race">
    <ol>
      ${order.map(
        (seat) =>
          html`<li class=${seat === state.table?.seat ? "own" : ""}>
            ${seat === state.table?.seat ? html`<small aria-hidden="true">${t("you")}</small>` : nothing}${mark(state, seat)}<span class="sr"
              ><bdi>${nameOf(state, seat)}</bdi>,
              ${t("field_at", { field: board.seats[seat].field })}</span
            ><span aria-hidden="true">${board.seats[seat].field}</span>
          </li>`,
      )}
    </ol>
    <p>${octagonWords(state)}</p>
  </div>`;
}

/**
 * What an exhibit brings in this round. At the Banquet there is no octagon.
 * @param {import("./types").PageState} state
 */
export function octagonWords({ board, table }) {
  if (!board || !table || board.leader >= table.edition.banquet) return "";
  return t("octagon", { field: board.leader, best: board.octagon[0], second: board.octagon[1] });
}

/** @param {import("./types").Context} context */
export function track(context) {
  const columns = matchMedia("(min-width: 68.76em)").matches ? 26 : 17;
  const pointed = context.pointed("track");
  return html`<section class="card track ${pointed}" aria-label=${t("track")}>
    ${matchMedia("(min-width: 38.76em)").matches ? drawing(context, columns) : nothing}${race(context)}
  </section>`;
}
