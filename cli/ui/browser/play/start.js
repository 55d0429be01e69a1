/** The start of the page that plays, which loads its files from its server. */

import { names } from "site-files";
import { open } from "./play.js";

/** @param {string} name */
async function loaded(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return [name, new Uint8Array(await answer.arrayBuffer())];
}

open(async () => Object.fromEntries(await Promise.all(names.map(loaded))));
