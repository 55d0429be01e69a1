/** The start of the page that a program serves to its own player. */

import { start } from "./page.js";
import { Socket } from "./socket.js";

// Another address of the program, typed into this tab, has a secret of its own.
addEventListener("hashchange", () => location.reload());
start(Socket);
