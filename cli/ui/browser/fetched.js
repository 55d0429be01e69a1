/** The files of a page, from the folder of its own script. */

/**
 * Load files.
 * @param {string} base  The address of the script.
 * @param {string[]} names
 * @returns {Promise<Record<string, Uint8Array>>}
 */
export async function fetched(base, names) {
  const files = names.map(async (name) => {
    const answer = await fetch(new URL(name, base));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return [name, new Uint8Array(await answer.arrayBuffer())];
  });
  return Object.fromEntries(await Promise.all(files));
}
