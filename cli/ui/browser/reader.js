/** The reader of a page. */

/**
 * Return the first language of the reader that is known, as its code, else English.
 * @param {Record<string, unknown>} languages  What is known, by code.
 */
export function languageOfReader(languages) {
  const wanted = navigator.languages.map((one) => one.slice(0, 2).toLowerCase());
  return wanted.find((code) => code in languages) ?? "en";
}
