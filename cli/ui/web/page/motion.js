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
    const scale = from.box.width / to.width;
    one.animate(
      [{ transform: `translate(${x}px, ${y}px) scale(${scale})`, zIndex: 9 }, { transform: "none", zIndex: 9 }],
      { duration: TIME, easing: EASE },
    );
  }
}
