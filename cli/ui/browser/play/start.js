/** The start of the page that plays, which loads its files from its server. */

import { names } from "site-files";
import { fetched } from "../fetched.js";
import { open } from "./play.js";

open(() => fetched(import.meta.url, names));
