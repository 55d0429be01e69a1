/** A replay: where it stands, steps back and on, the round, and whose knowledge is shown. */

import { html } from "./vendor/lit-html.js";
import { live } from "./vendor/directives/live.js";
import { t } from "./labels.js";
import { icon, nameOf } from "./pieces.js";

/**
 * The moment at which the round before, or the next one, begins.
 * @param {import("./types").Film} film
 * @param {number} way  -1 or 1.
 */
export function nextRound({ rounds, at, length }, way) {
  const found = way > 0 ? rounds.find((one) => one > at) : rounds.filter((one) => one < at).at(-1);
  return found ?? (way > 0 ? length - 1 : 0);
}

/** @param {import("./types").Context} context */
export function replay({ state, act }) {
  const film = /** @type {import("./types").Film} */ (state.film);
  const { length, at, rounds, eyes, verdict } = film;
  const round = rounds.filter((one) => one <= at).length;
  const go = (/** @type {number} */ to) => act.seek({ at: Math.max(0, Math.min(length - 1, to)) });
  const button = (/** @type {string} */ name, /** @type {number} */ to) =>
    html`<button
      type="button"
      class="plain"
      aria-label=${t(name)}
      title=${t(name)}
      @click=${() => go(to)}
    >
      ${icon(name)}
    </button>`;
  return html`<section class="card replay" aria-label=${t("round", { round })}>
    <div class="reel">
      ${button("round_back", nextRound(film, -1))}${button("step_back", at - 1)}
      <button
        type="button"
        class="plain go"
        aria-label=${t("run")}
        title=${t("run")}
        aria-pressed=${act.isRunning}
        @click=${() => act.run()}
      >
        ${icon(act.isRunning ? "pause" : "play")}
      </button>
      ${button("step_on", at + 1)}${button("round_on", nextRound(film, 1))}
    </div>
    <label class="where"
      ><span>${t("round", { round })}</span
      ><input
        type="range"
        min="0"
        max=${length - 1}
        .value=${live(String(at))}
        @input=${(/** @type {any} */ event) => go(Number(event.target.value))}
      /><span class="figures">${at + 1}/${length}</span></label
    >
    <div class="eyes">
      <select
        aria-label=${t("eyes")}
        title=${t("eyes")}
        @change=${(/** @type {any} */ event) => act.seek({ eyes: event.target.value === "" ? null : Number(event.target.value) })}
      >
        <option value="" .selected=${eyes === null}>${t("everyone")}</option>
        ${state.table?.seats.map((seat) => html`<option value=${seat.seat} .selected=${eyes === seat.seat}>${nameOf(state, seat.seat)}</option>`)}
      </select>
      <button
        type="button"
        class="plain"
        aria-label=${t("speed", { times: act.speed })}
        title=${t("speed", { times: act.speed })}
        @click=${() => act.hasten(1)}
      >
        × ${act.speed}
      </button>
      <button type="button" class="quiet ${verdict[1]}" @click=${() => act.open("proofs")}>
        ${verdict[0]}
      </button>
    </div>
  </section>`;
}
