// Writes files compressed beside them: node compress.mjs NODE_MODULES br,gz FILE …
// By packages of the lock file: what zlib and Node.js themselves make depends on their versions.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [modules, codings, ...files] = process.argv.slice(2);
const load = createRequire(`${modules}/`);
const ways = {
  br: (content) => load("brotli-wasm").compress(content, { quality: 11 }),
  gz: (content) => load("pako").gzip(content, { level: 9 }),
};
for (const file of files) {
  const content = readFileSync(file);
  for (const coding of codings.split(",")) {
    writeFileSync(`${file}.${coding}`, ways[coding](content));
  }
}
