/** Which folder of the browser's storage has the table of a ticket. */

/**
 * The usual folder of a ticket, 16 digits.
 * @param {string} ticket
 */
export async function digestOf(ticket) {
  const bytes = new TextEncoder().encode(ticket);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return inHex(digest.subarray(0, 8));
}

/** @param {Uint8Array} bytes */
export const inHex = (bytes) =>
  [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");

/**
 * Remember that a ticket is that of a table of one's own, or of one that was reached by a code.
 * @param {string} ticket
 * @param {string} table
 */
export async function keep(ticket, table) {
  localStorage.setItem(`table-${await digestOf(ticket)}`, table);
}

/** @param {string} ticket */
export const kept = async (ticket) => localStorage.getItem(`table-${await digestOf(ticket)}`);
