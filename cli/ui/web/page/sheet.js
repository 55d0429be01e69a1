/** Dialogs: pages of text, questions before something is given up, and the phrases. */

import { html, nothing } from "./vendor/lit-html.js";
import { t } from "./labels.js";
import { yesOrNo } from "./side.js";

/** @param {import("./types").Context} context */
export function sheet({ state, act }) {
  const { sheet } = state;
  if (!sheet) return nothing;
  return html`<h2 id="dialog-title">${sheet.title}</h2>
    <div class="pages" tabindex="0">
      ${
        sheet.qr
          ? html`<svg
              class="qr"
              viewBox="-3 -3 ${sheet.size + 6} ${sheet.size + 6}"
              role="img"
              aria-label="QR"
            >
              <rect x="-3" y="-3" width=${sheet.size + 6} height=${sheet.size + 6}></rect>
              <path d=${sheet.qr}></path>
            </svg>`
          : nothing
      }
      ${
        sheet.ticket
          ? html`<p class="copyable">${sheet.ticket}</p>
              <div class="buttons">
                <button type="button" class="seal" @click=${() => act.copy(sheet.ticket ?? "")}>
                  ${t("copy")}
                </button>
              </div>`
          : nothing
      }
      ${sheet.lines.map((line) => html`<p class="line">${line.length ? line.map(([words, style]) => html`<span class=${style.startsWith("seat.") ? `ink s-${style.slice(5)}` : `w-${style}`}>${words}</span>`) : html`<br />`}</p>`)}
    </div>
    <form method="dialog"><button class="plain close">${t("close")}</button></form>`;
}

/**
 * @param {import("./types").Context} context
 * @param {import("./types").Ask} ask
 */
export function asked(context, ask) {
  return html`<h2 id="dialog-title">${ask.words}</h2>
    ${yesOrNo(context, ask)}`;
}

/** @param {import("./types").Context} context */
export function phrases({ state, act }) {
  return html`<h2 id="dialog-title">${t("phrases")}</h2>
    <ul class="choices">
      ${state.hello?.phrases.map((words, number) => html`<li><button type="button" class="plain" @click=${() => act.say(number)}>${words}</button></li>`)}
    </ul>
    <form method="dialog"><button class="plain close">${t("close")}</button></form>`;
}
