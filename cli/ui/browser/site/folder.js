/** The start of the page from a server: it loads its files, and then forbids every connection. */

import { names } from "site-files";
import { open } from "./site.js";

/** @param {string} name */
async function loaded(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return [name, new Uint8Array(await answer.arrayBuffer())];
}

open(async () => {
  const files = Object.fromEntries(await Promise.all(names.map(loaded)));
  // A policy that is added later can only forbid more. The worker inherits it.
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "connect-src 'none'";
  document.head.append(policy);
  return files;
});
