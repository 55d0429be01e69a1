/** Pieces and cards that change their place glide there: first, last, invert, play. */

const TIME = 520;
const EASE = "cubic-bezier(.3, .9, .3, 1)";
const LEAST = 4;

/** @typedef {Map<string, {home: string, box: DOMRect}>} Places */

/** @returns {NodeListOf<HTMLElement>} */
const movable = () => document.querySelectorAll("[data-key]");

/**
 * Where everything lies now.
 * @returns {Places}
 */
export function placesNow() {
  const found = new Map();
  for (const one of movable()) {
    const box = one.getBoundingClientRect();
    if (box.width) found.set(one.dataset.key, { home: one.dataset.home, box });
  }
  return found;
}

/**
 * Let what has another home than before glide from where it lay.
 * @param {Places} before
 */
export function glide(before) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const one of movable()) {
    const from = before.get(one.dataset.key ?? "");
    if (!from || from.home === one.dataset.home) continue;
    const to = one.getBoundingClientRect();
    const [x, y] = [from.box.left - to.left, from.box.top - to.top];
    if (!to.width || Math.abs(x) + Math.abs(y) < LEAST) continue;
    fly(one, to, `translate(${x}px, ${y}px) scale(${from.box.width / to.width})`);
  }
}

/**
 * Let a copy fly above everything, since a part of the table that scrolls would cut it off.
 * @param {HTMLElement} one
 * @param {DOMRect} to
 * @param {string} transform  How it looks where it comes from.
 */
function fly(one, to, transform) {
  const copy = /** @type {HTMLElement} */ (one.cloneNode(true));
  delete copy.dataset.key;
  copy.setAttribute("aria-hidden", "true");
  copy.classList.add("flying");
  Object.assign(copy.style, {
    left: `${to.left}px`,
    top: `${to.top}px`,
    width: `${to.width}px`,
    height: `${to.height}px`,
  });
  document.body.append(copy);
  const timing = { duration: TIME, easing: EASE };
  one.animate([{ opacity: 0 }, { opacity: 0 }], timing);
  copy.animate([{ transform }, { transform: "none" }], timing).onfinish = () => copy.remove();
}
