/** The start of the page that plays, which loads its files from its server. */

import { digests } from "site-files";
import { fetched } from "../fetched.js";
import { open } from "./play.js";

open(() => fetched(import.meta.url, digests));
