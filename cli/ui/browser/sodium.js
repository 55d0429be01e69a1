/** Functions of libsodium for Python: each call copies its bytes from Python's memory and back. */

/**
 * @param {any} sodium  The module of libsodium.
 * @param {any} python  Pyodide.
 */
export function bridge(sodium, python) {
  const memory = () => python._module.HEAPU8;
  /** @type {any} */
  let shared = null;
  // Addresses, since a view ends when the memory below it grows.
  let there = 0;
  let own = 0;
  return {
    /** @param {any} bytes  The bytearray through which the arguments pass. Python keeps its size. */
    attach(bytes) {
      shared?.release();
      if (own) sodium._free(own);
      shared = bytes.getBuffer("u8");
      there = shared.data.byteOffset;
      own = sodium._malloc(shared.data.length);
    },
    /**
     * Return what a function without arguments returns, 0 for one that is not there.
     * @param {string} name
     */
    number(name) {
      const found = sodium[`_${name}`]?.() ?? 0;
      // WebAssembly knows no sign: the largest sizes come as negative numbers.
      return name === "sodium_init" ? found : found >>> 0;
    },
    /**
     * @param {string} name
     * @param {string} kinds  b for bytes, n for a length of 64 bits, which takes two arguments. NULL is told by -1.
     */
    function(name, kinds) {
      const run = sodium[`_${name}`];
      const copied = [...kinds].map((kind) => kind === "b");
      return (/** @type {number} */ size, /** @type {number[]} */ ...told) => {
        sodium.HEAPU8.set(memory().subarray(there, there + size), own);
        const given = [];
        let at = own;
        for (let i = 0; i < told.length; i++) {
          if (!copied[i]) given.push(told[i], 0);
          else if (told[i] < 0) given.push(0);
          else {
            given.push(at);
            at += told[i];
          }
        }
        const result = run(...given);
        memory().set(sodium.HEAPU8.subarray(own, own + size), there);
        // Nothing of a secret key is left behind in the other memory.
        sodium.HEAPU8.fill(0, own, own + size);
        return result;
      };
    },
  };
}
