/** The files of one table in the browser's private storage, which nobody else can open meanwhile. */

const FOLDER = "hoity";
const COUNT = 48;
/** Milliseconds between two attempts, and for how long a page that was just closed may hold them. */
const PAUSE = 100;
const PATIENCE = 5000;

/** What Chromium returns as the number of bytes if the disk is full: its error -8 without a sign. */
const DISK_FULL = 2 ** 32 - 8;

export class Taken extends Error {}

/**
 * Return the number of bytes that were read or written, or throw the error that is in its place.
 * @param {number} count
 * @param {number} most
 */
function counted(count, most) {
  if (count <= most) return count;
  throw new DOMException("", count === DISK_FULL ? "QuotaExceededError" : "UnknownError");
}

/**
 * Open the files of a table, and return what Python needs of them.
 * @param {string} name  Of the table.
 * @throws {Taken}  If another tab has the table.
 */
export async function openPool(name) {
  let folder = await navigator.storage.getDirectory();
  for (const part of [FOLDER, name])
    folder = await folder.getDirectoryHandle(part, { create: true });
  const last = performance.now() + PATIENCE;
  /** @type {any[]} */
  const files = [];
  for (let i = 0; i < COUNT; i++) {
    const file = await folder.getFileHandle(`slot-${i}`, { create: true });
    files.push(await opened(file, last));
  }
  return {
    count: COUNT,
    size: guarded((slot) => files[slot].getSize()),
    read: guarded((slot, size, at) => {
      const data = new Uint8Array(size);
      return data.subarray(0, counted(files[slot].read(data, { at }), size));
    }),
    store: guarded((slot, data, at) => {
      const view = data.getBuffer("u8");
      try {
        return counted(files[slot].write(view.data, { at }), view.data.length);
      } finally {
        view.release();
      }
    }),
    truncate: guarded((slot, size) => files[slot].truncate(size)),
    flush: guarded((slot) => files[slot].flush()),
  };
}

/**
 * Let a function return what it finds and "", or the name of its error: Python knows its own errors.
 * @param {(...given: any[]) => any} act
 */
function guarded(act) {
  return (/** @type {any[]} */ ...given) => {
    try {
      return [act(...given), ""];
    } catch (error) {
      return [null, /** @type {Error} */ (error).name];
    }
  };
}

/**
 * @param {any} file
 * @param {number} last  When to give up.
 */
async function opened(file, last) {
  for (;;) {
    try {
      return await file.createSyncAccessHandle();
    } catch (error) {
      if (/** @type {DOMException} */ (error).name !== "NoModificationAllowedError") throw error;
      if (performance.now() > last) throw new Taken();
      await new Promise((done) => setTimeout(done, PAUSE));
    }
  }
}
