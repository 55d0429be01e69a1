/** The page's own labels: the message `page` carries them in the reader's language. */

/** What is shown before any label has come, or when none can come any more. */
const FALLBACK = {
  connecting: "Connecting …",
  ended: "The program has ended. Go on with: hoity resume --web",
  link_used:
    "This address was used already. If another tab has the table, go on there. If not, the terminal soon prints a new address.",
  elsewhere: "Another window has the table.",
  take_over: "Take over here",
  here_only: "This address is for the machine on which the program runs.",
};

/** @type {Readonly<Record<string, string>>} */
let told = FALLBACK;

/**
 * Take the labels of a message `page`.
 * @param {Record<string, string>} labels
 */
export function learn(labels) {
  told = { ...FALLBACK, ...labels };
}

/**
 * Return a label, its `{fields}` filled in. A label that did not come is its own name.
 * @param {string} name
 * @param {Record<string, string | number>} [fields]
 * @returns {string}
 */
export function t(name, fields = {}) {
  const text = told[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (gap, field) => String(fields[field] ?? gap));
}

/**
 * Return seconds as minutes and seconds, such as 4:09.
 * @param {number} seconds
 */
export function minutes(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
