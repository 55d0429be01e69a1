/** The choice of the game that is open: its answers, what is marked, and the button that seals. */

import { html, nothing } from "./vendor/lit-html.js";
import { live } from "./vendor/directives/live.js";
import { minutes, t } from "./labels.js";
import { icon, knownPieces, lettersOf, mark, markedPiece, nameOf, piecesIn } from "./pieces.js";

const DIGITS = 9;

/**
 * Whether pieces are marked one by one, instead of picking one of a list.
 * @param {import("./types").Question} question
 */
export const isMarked = (question) => question.slots.length > 0;

/**
 * What would be sealed now, `undefined` if nothing can be.
 * @param {import("./types").PageState} state
 */
export function readyChoice({ question, chosen, picked, verdict }) {
  if (!question) return undefined;
  if (!isMarked(question)) return chosen === null ? undefined : question.entries[chosen].choice;
  if (!verdict?.is_legal) return undefined;
  return inOrder(question, picked);
}

/**
 * The marked slots in the order of an answer: rising for an exhibit, by the groups of a theft.
 * @param {import("./types").Question} question
 * @param {Set<number>} picked
 */
export function inOrder({ groups }, picked) {
  const rising = [...picked].sort((a, b) => a - b);
  return groups.length
    ? groups.flatMap((group) => group.filter((slot) => picked.has(slot)))
    : rising;
}

/**
 * Mark a slot or unmark it. Of a group of a theft one slot at most is marked.
 * @param {import("./types").Question} question
 * @param {Set<number>} picked
 * @param {number} slot
 */
export function toggled({ groups }, picked, slot) {
  const group = groups.find((one) => one.includes(slot));
  const rest = [...picked].filter((one) => one !== slot && !group?.includes(one));
  return new Set(picked.has(slot) ? rest : [...rest, slot]);
}

/** @param {import("./types").Context} context */
function list({ state, act }) {
  const question = /** @type {import("./types").Question} */ (state.question);
  const isOn = (/** @type {number} */ number) => state.chosen === number;
  return html`<fieldset class="opts">
    <legend class="sr">${question.title}</legend>
    ${question.entries.map(
      ({ words, note }, number) =>
        html`<label class="opt ${isOn(number) ? "on" : ""}">
          <input
            type="radio"
            name="choice"
            .checked=${live(isOn(number))}
            @change=${() => act.choose(number)}
          />
          ${number < DIGITS ? html`<kbd aria-hidden="true">${number + 1}</kbd>` : html`<i></i>`}
          <span><b>${words}</b>${note ? html`<small>${note}</small>` : nothing}</span></label
        >`,
    )}
  </fieldset>`;
}

/**
 * The best exhibits, each with one click.
 * @param {import("./types").Context} context
 */
function bestOnes({ state, act }) {
  const question = /** @type {import("./types").Question} */ (state.question);
  const known = knownPieces(state.board);
  const marked = inOrder(question, state.picked).join();
  return html`<div class="chips-best" role="group" aria-label=${t("best")}>
    ${question.entries
      .slice(0, DIGITS)
      .map(
        ({ choice, words }, number) =>
          html`<button
            type="button"
            class="best-one ${marked === choice.join() ? "on" : ""}"
            aria-pressed=${marked === choice.join()}
            title=${words}
            @click=${() => act.choose(number)}
          >
            <kbd aria-hidden="true">${number + 1}</kbd>${lettersOf(known, choice)}
          </button>`,
      )}
  </div>`;
}

/**
 * One's own pieces, for a screen on which one's row is not in sight.
 * @param {import("./types").Context} context
 */
function ownPieces(context) {
  const { state } = context;
  const known = knownPieces(state.board);
  const ordered = piecesIn(known, /** @type {import("./types").Question} */ (state.question).slots);
  return html`<div class="own-set">
    ${ordered.map((piece) => markedPiece(context, piece, { size: "mid" }))}
  </div>`;
}

/**
 * A row for each exhibit from which a Thief takes.
 * @param {import("./types").Context} context
 */
function loot(context) {
  const { state } = context;
  const { groups } = /** @type {import("./types").Question} */ (state.question);
  const known = knownPieces(state.board);
  const owner = (/** @type {number} */ slot) =>
    state.board?.seats.findIndex((seat) => seat.pieces.some((piece) => piece[0] === slot)) ?? -1;
  return groups.map(
    (group) =>
      html`<div class="loot" role="group" aria-label=${nameOf(state, owner(group[0]))}>
        ${mark(state, owner(group[0]))}
        <div class="loot-set">
          ${piecesIn(known, group).map((piece) => markedPiece(context, piece, { size: "mid" }))}
        </div>
      </div>`,
  );
}

/** @param {import("./types").Context} context */
function choices(context) {
  const question = /** @type {import("./types").Question} */ (context.state.question);
  if (!isMarked(question)) return list(context);
  if (question.kind === "exhibit") return html`${ownPieces(context)}${bestOnes(context)}`;
  return question.groups.length === 1 ? list(context) : loot(context);
}

/**
 * What is marked would be this, or why it cannot be sealed.
 * @param {import("./types").PageState} state
 */
function verdict({ question, verdict, picked, complaint, chosen }) {
  const note =
    question && isMarked(question)
      ? question.entries.find(
          (one) => [one.choice].flat().join() === inOrder(question, picked).join(),
        )?.note
      : "";
  if (complaint) return html`<p class="say bad">${complaint}</p>`;
  if (
    !question ||
    !isMarked(question) ||
    (question.groups.length === 1 && chosen === null && !picked.size)
  )
    return nothing;
  if (!verdict) return html`<p class="say">${picked.size ? "…" : t(question.kind === "exhibit" ? "mark_exhibit" : "mark_loot")}</p>`;
  return html`<p class="say ${verdict.is_legal ? "" : "bad"}">
    ${verdict.words}${note && question.groups.length !== 1 ? html`<small>${note}</small>` : nothing}
  </p>`;
}

/** Seconds of which nobody needs to know how many are left, as among one's own bots. */
const LONG_TIME = 1000;

/**
 * How much of the time of this step is left: a bar, and in figures.
 * @param {import("./types").Clock | null} clock
 */
export function timeLeft(clock) {
  if (!clock || clock.left === null || clock.left > LONG_TIME) return nothing;
  const passed = (performance.now() - clock.at) / 1000;
  const left = Math.max(0, clock.left - passed);
  const share = (100 * left) / Math.max(1, clock.left + clock.waited);
  return html`<div class="time">
    <span class="bar-left"><i .style=${`width: ${share.toFixed(1)}%`}></i></span
    ><span class="figures">${minutes(left)}</span>
  </div>`;
}

/** @param {import("./types").Context} context */
export function questionPanel(context) {
  const { state, act } = context;
  const question = /** @type {import("./types").Question} */ (state.question);
  const isReady = readyChoice(state) !== undefined && !state.isSent;
  const isMine = state.clock?.awaited.includes(state.table?.seat ?? -1);
  return html`<form
    class="card ask ${act.isFolded ? "folded" : ""} ${context.pointed("question")}"
    id="choice"
    tabindex="-1"
    aria-labelledby="title"
    @submit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      act.seal();
    }}
  >
    <div class="ask-head">
      <h2 id="title">${question.title}</h2>
      <button
        type="button"
        class="fold"
        aria-expanded=${!act.isFolded}
        aria-label=${t("fold")}
        @click=${() => act.fold()}
      >
        ${icon(act.isFolded ? "up" : "down")}
      </button>
    </div>
    ${isMine ? timeLeft(state.clock) : nothing}
    ${question.again ? html`<p class="once-more">${t("again")}</p>` : nothing}
    <div class="ask-body">${choices(context)}</div>
    ${verdict(state)}
    <button class="seal" ?disabled=${!isReady}>${t("seal")}</button>
  </form>`;
}
