/** Files that the browser saves. */

/** Milliseconds after which a browser has begun to save. */
const BEGUN = 1000;

/**
 * Let the browser save a file.
 * @param {string} name
 * @param {string | Uint8Array} content
 */
export function save(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([/** @type {any} */ (content)]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), BEGUN);
}
