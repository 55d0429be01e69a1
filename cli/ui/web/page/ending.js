/** The end: who has won, the standings, the path of each figure, and what decided the game. */

import { html, nothing, svg } from "./vendor/lit-html.js";
import { t } from "./labels.js";
import { lyingPiece, mark, nameOf } from "./pieces.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, RIGHT, TOP] = [640, 230, 34, 26, 34, 12];
const DASHES = ["", "9 4", "2 4", "12 3 3 3", "5 3", "1 3 6 3"];

/**
 * A round number of fields between two lines of the chart.
 * @param {number} most
 */
const stride = (most) => (most > 30 ? 10 : most > 10 ? 5 : most > 4 ? 2 : 1);

/**
 * The letters at the ends of the lines, moved apart where they would cover each other.
 * @param {number[][]} paths
 * @param {(field: number) => number} y
 */
function ends(paths, y) {
  const order = paths
    .map((_, seat) => seat)
    .sort((a, b) => y(paths[a].at(-1) ?? 0) - y(paths[b].at(-1) ?? 0));
  /** @type {number[]} */
  const places = [];
  let above = -99;
  for (const seat of order) above = places[seat] = Math.max(y(paths[seat].at(-1) ?? 0), above + 16);
  return places;
}

/** @param {import("./types").PageState} state */
function chart(state) {
  const { paths } = /** @type {import("./types").Ending} */ (state.ending);
  if (!paths.length || !state.table) return nothing;
  const most = Math.max(1, ...paths.flat());
  const last = Math.max(1, paths[0].length - 1);
  const x = (/** @type {number} */ round) => LEFT + ((WIDTH - LEFT - RIGHT) * round) / last;
  const y = (/** @type {number} */ field) =>
    HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * field) / most;
  const lines = [...Array(Math.floor(most / stride(most)) + 1).keys()].map(
    (number) => number * stride(most),
  );
  const rounds = [...Array(last + 1).keys()].filter((round) => round % (last > 12 ? 5 : 2) === 0);
  const places = ends(paths, y);
  return html`<figure>
    <svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t("fields_chart")}>
      ${lines.map((field) => svg`<line class="grid" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${y(field)} y2=${y(field)}></line><text class="axis" x=${LEFT - 6} y=${y(field) + 4} text-anchor="end">${field}</text>`)}
      ${rounds.map((round) => svg`<text class="axis" x=${x(round)} y=${HEIGHT - 6} text-anchor="middle">${round}</text>`)}
      ${paths.map(
        (
          path,
          seat,
        ) => svg`<g class="s-${state.board?.seats[seat].colour || "none"}"><polyline class="path" stroke-dasharray=${DASHES[seat]} points=${path.map((field, round) => `${x(round)},${y(field)}`).join(" ")}></polyline>
      <circle class="dot" cx=${WIDTH - RIGHT + 14} cy=${places[seat]} r="9"></circle><text class="letter" x=${WIDTH - RIGHT + 14} y=${places[seat] + 4}>${state.table?.seats[seat].mark}</text></g>`,
      )}
    </svg>
    <figcaption>${t("fields_chart")}</figcaption>
  </figure>`;
}

/**
 * @param {import("./types").Context} context
 * @param {import("./types").Standing} standing
 */
function line(context, { rank, seat, nickname, field, exhibit, gained }) {
  const { state } = context;
  const name = seat === state.table?.seat ? t("name_you", { nickname }) : nickname;
  return html`<tr class=${rank === 1 ? "won" : ""}>
    <td class="rank">${rank}</td>
    <th scope="row">
      <span class="whose"
        >${mark(state, seat)}<bdi class="nick" title=${nickname}>${name}</bdi></span
      >
    </th>
    <td class="field">${field}</td>
    <td>
      <span class="run"
        >${exhibit.length ? exhibit.map((piece) => lyingPiece(context, piece, { size: "mini" })) : "–"}</span
      >
    </td>
    <td class="gained">${gained ? `+${gained}` : ""}</td>
  </tr>`;
}

/** @param {import("./types").Context} context */
function standings(context) {
  const { standings } = /** @type {import("./types").Ending} */ (context.state.ending);
  if (!standings.length) return nothing;
  return html`<table class="standings">
    <caption class="sr">
      ${t("standings")}
    </caption>
    <thead>
      <tr>
        <th scope="col">${t("rank")}</th>
        <th scope="col">${t("seat")}</th>
        <th scope="col">${t("field")}</th>
        <th scope="col">${t("last_exhibit")}</th>
        <th scope="col"><span class="sr">${t("fields_chart")}</span></th>
      </tr>
    </thead>
    <tbody>
      ${standings.map((one) => line(context, one))}
    </tbody>
  </table>`;
}

/** @param {import("./types").Context} context */
export function ending(context) {
  const { state, act } = context;
  const { words, moments, transcript, awaited, left } = /** @type {import("./types").Ending} */ (
    state.ending
  );
  const isLate = awaited.length > 0 && left > 0;
  return html`<section class="card ending">
    <h1 class="victory"><bdi>${words}</bdi></h1>
    ${standings(context)}
    <div class="looking-back">
      ${chart(state)}${
        moments.length
          ? html`<div class="moments">
              <h2>${t("decided")}</h2>
              <ul>
                ${moments.map((one) => html`<li>${one}</li>`)}
              </ul>
            </div>`
          : nothing
      }
    </div>
    ${isLate ? html`<p class="dim">${t("waiting", { who: awaited.map((seat) => nameOf(state, seat)).join(", ") })}</p>` : nothing}
    <div class="buttons" ?hidden=${state.link === "over"}>
      ${transcript && act.socket.keep ? html`<button type="button" class="plain" @click=${() => act.socket.keep?.()}>${t("keep")}</button>` : nothing}
      <button type="button" class="plain" @click=${() => act.save()}>${t("save_picture")}</button
      ><button type="button" class="plain" @click=${() => act.open("recap")}>${t("recap")}</button>
      <button type="button" class="plain" @click=${() => act.open("proofs")}>${t("proofs")}</button
      ><button type="button" class="plain" @click=${() => act.done()}>${t("leave_table")}</button>
    </div>
    ${state.saved ? html`<p class="saved">${state.saved}</p>` : nothing}${transcript && !act.socket.keep ? html`<p class="dim file">${t("transcript", { path: transcript })}</p>` : nothing}
  </section>`;
}
