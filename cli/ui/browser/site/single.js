/** The start of the page that is one file: all that it needs is in it, compressed. */

import { open } from "./site.js";

/** @param {Element} element */
async function unpacked(element) {
  const packed = Uint8Array.from(atob(element.textContent ?? ""), (sign) => sign.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const name = /** @type {HTMLElement} */ (element).dataset.name ?? "";
  element.remove();
  return [name, new Uint8Array(await new Response(stream).arrayBuffer())];
}

open(async () =>
  Object.fromEntries(await Promise.all([...document.querySelectorAll("[data-name]")].map(unpacked))),
);
