/** What the browser remembers outside of the folders of tables. It may refuse to. */

/** @param {string} name */
export function recall(name) {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The page works without it.
  }
}

/**
 * The name of the folder that has the table of a ticket, 16 digits.
 * @param {string} ticket
 */
export async function folderOf(ticket) {
  const digest = await digestOf(ticket);
  return recall(`table-${digest}`) || digest;
}

/**
 * Remember that a ticket is that of a table of one's own, which has a folder of another name.
 * @param {string} ticket
 * @param {string} folder
 */
export async function keepFolder(ticket, folder) {
  const digest = await digestOf(ticket);
  if (digest !== folder) remember(`table-${digest}`, folder);
}

/** @param {string} ticket */
async function digestOf(ticket) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(ticket));
  return inHex(new Uint8Array(digest).subarray(0, 8));
}

/** @param {Uint8Array} bytes */
const inHex = (bytes) => [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");

/** A name that no folder has yet. */
export const newFolder = () => inHex(crypto.getRandomValues(new Uint8Array(8)));
