// Runs pack.py in the Python of the page: node pack.mjs NODE_MODULES SOURCE PACKED
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, source, packed] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${modules}/pyodide/pyodide.mjs`).href);
// The order of a set's items, and with it the bytecode, depends on the seed.
const python = await loadPyodide({ env: { PYTHONHASHSEED: "0" } });
for (const [place, root] of Object.entries({ "/source": source, "/packed": packed })) {
  python.FS.mkdir(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, place);
}
python.runPython(readFileSync(new URL("pack.py", import.meta.url), "utf8"));
