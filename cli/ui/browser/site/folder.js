/** The start of the page from a server: it loads its files, and then forbids every connection. */

import { digests } from "site-files";
import { fetched } from "../fetched.js";
import { open } from "./site.js";

open(async () => {
  const files = await fetched(import.meta.url, digests);
  // A policy that is added later can only forbid more. The worker inherits it.
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "connect-src 'none'";
  document.head.append(policy);
  return files;
});
