/** The files of a page, from the folder of its own script. */

/**
 * Load files, or fail: no other bytes are taken than those that the page was built with.
 * @param {string} base  The address of the script.
 * @param {Record<string, string>} digests  Of each file, as browsers check it.
 * @returns {Promise<Record<string, Uint8Array>>}
 */
export async function fetched(base, digests) {
  const files = Object.entries(digests).map(async ([name, integrity]) => {
    const load = (/** @type {RequestCache} */ cache) =>
      fetch(new URL(name, base), { integrity, cache });
    // What a browser has cached may be damaged, and would be so for ever.
    const answer = await load("default").catch(() => load("reload"));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return [name, new Uint8Array(await answer.arrayBuffer())];
  });
  return Object.fromEntries(await Promise.all(files));
}
