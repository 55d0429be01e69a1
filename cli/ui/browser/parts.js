/** The two parts of a page, of which one is shown: the table, and what is told around it. */

/** @param {"app" | "site"} wanted  The table, or the other part. */
export function showPart(wanted) {
  for (const id of ["app", "site"])
    /** @type {HTMLElement} */ (document.getElementById(id)).hidden = id !== wanted;
}
