/** A page that checks and replays files of games, with nothing but what it has loaded. */

import { html, nothing, render } from "../../web/page/vendor/lit-html.js";
import { start } from "../../web/page/page.js";
import { languages, most, program } from "site-labels";
import { showPart } from "../parts.js";
import { languageOfReader } from "../reader.js";
import { save } from "../save.js";
import { Judge } from "./judge.js";

const FILM = "#film";
/** The problems after which nothing more happens. */
const FINAL = ["not_started", "not_loaded"];

const state = {
  /** @type {"loading" | "starting" | "ready" | "checking"} */
  phase: "loading",
  language: languageOfReader(languages),
  /** The language in which the worker tells the verdict. */
  spoken: "",
  /** @type {{name: string, data: Uint8Array} | null} A file that waits for the start. */
  waiting: null,
  file: "",
  /** @type {{done: number, total: number} | null} */
  progress: null,
  /** @type {{lines: string[], tone: string, has_film: boolean} | null} */
  verdict: null,
  /** The name of a label that says what went wrong. */
  problem: "",
  isAimed: false,
};
/** @type {Judge | null} */
let judge = null;
/** @type {FilmWire | null} */
let film = null;

/**
 * @param {string} name
 * @param {Record<string, string | number>} [fields]
 */
function t(name, fields = {}) {
  const text = languages[state.language].labels[name];
  return text.replace(/\{(\w+)\}/g, (gap, field) => String(fields[field] ?? gap));
}

/** The wire of the replay, whose other end is the worker. */
class FilmWire {
  /**
   * @param {(message: any) => void} onMessage
   * @param {(link: "open") => void} onLink
   */
  constructor(onMessage, onLink) {
    this.onMessage = onMessage;
    this.onLink = onLink;
    film = this;
  }

  open() {
    this.onMessage({ type: "entered" });
    this.onLink("open");
    judge?.ask("watch");
  }

  renew() {
    this.open();
  }

  /** @param {Record<string, unknown>} message */
  send(message) {
    if (message.type === "bye") history.back();
    else if (message.type === "save") judge?.ask("picture");
    else judge?.ask("say", { text: JSON.stringify(message) });
    return true;
  }

  /** @param {any[]} messages */
  tell(messages) {
    for (const message of messages) {
      if (message.type === "hello") state.language = message.language;
      this.onMessage(message);
    }
  }
}

/** What is done with each thing that the worker says. */
const HEARD = {
  ready: () => {
    state.phase = "ready";
    const file = state.waiting;
    if (file) check(file);
  },
  /** @param {{done: number, total: number}} progress */
  progress: (progress) => (state.progress = progress),
  /** @param {string} verdict */
  verdict: (verdict) => {
    const isNew = state.phase === "checking";
    Object.assign(state, { phase: "ready", verdict: JSON.parse(verdict), progress: null });
    // A file that was dropped meanwhile, and a language that was chosen, were not forgotten.
    if (state.waiting) return check(state.waiting);
    if (isNew && state.spoken !== state.language) speak(state.language);
    // Whoever uses no pointer is at the verdict, and hears it.
    if (isNew) setTimeout(() => document.getElementById("verdict")?.focus());
  },
  /** @param {string} messages */
  messages: (messages) => film?.tell(JSON.parse(messages)),
  /** @param {string} picture */
  picture: (picture) => {
    const found = JSON.parse(picture);
    if (found) save(found[0], found[1]);
  },
  failed: () => {
    const isStarting = state.phase === "starting";
    state.problem = isStarting ? "not_started" : "failed";
    if (!isStarting) restart();
  },
};

/** @param {Record<string, any>} said */
function hear(said) {
  for (const [name, value] of Object.entries(said))
    HEARD[/** @type {keyof typeof HEARD} */ (name)](value);
  draw();
}

/** Begin anew with another worker. It takes the place of one that is busy or has failed. */
function restart() {
  Object.assign(state, { phase: "starting", progress: null, verdict: null, waiting: null });
  judge?.start(state.language);
}

/** @param {{name: string, data: Uint8Array}} file */
function check(file) {
  Object.assign(state, { phase: "checking", waiting: null, spoken: state.language });
  judge?.ask("check", file);
}

/** @param {FileList | undefined | null} files */
async function take(files) {
  if (!files?.length || state.phase === "checking") return;
  // Another file is another game: what is shown is not replaced without a word.
  if (location.hash === FILM) location.hash = "";
  Object.assign(state, { verdict: null, problem: "", file: files[0].name });
  if (files.length > 1) state.problem = "one";
  else await read(files[0]);
  draw();
}

/** @param {File} file */
async function read(file) {
  try {
    // One byte more than a file may have is enough to refuse it.
    const data = new Uint8Array(await file.slice(0, most + 1).arrayBuffer());
    if (state.phase === "ready") check({ name: file.name, data });
    else state.waiting = { name: file.name, data };
  } catch {
    state.problem = "not_read";
  }
}

function cancel() {
  restart();
  state.problem = "cancelled";
  draw();
}

/** @param {string} language */
function speak(language) {
  state.language = language;
  if (state.phase === "ready") judge?.ask("speak", { language });
  draw();
}

/** The address says whether the film is shown, so the browser's Back leaves it. */
function show() {
  const isWanted = location.hash === FILM && state.verdict?.has_film === true;
  showPart(isWanted ? "app" : "site");
  if (isWanted && !film) start(FilmWire);
  else if (isWanted) film?.open();
  // The page of the film forgets it, so that no key leads it any more.
  else film?.onMessage({ type: "entered" });
  if (!isWanted && state.phase === "ready" && state.verdict)
    judge?.ask("speak", { language: state.language });
  draw();
}

function status() {
  if (state.problem) return t(state.problem, { file: state.file });
  if (state.progress) return t("checking_step", { file: state.file, ...state.progress });
  if (state.phase === "checking") return t("checking", { file: state.file });
  if (state.phase === "ready") return "";
  return t(state.phase);
}

function progress() {
  const { phase, progress } = state;
  if (phase === "ready" && !state.problem) return nothing;
  const isBusy = phase !== "ready" && !FINAL.includes(state.problem);
  return html`<div class="status">
    <p role="status">${status()}</p>
    ${isBusy ? html`<progress aria-label=${t(phase)} max=${progress?.total ?? 1} value=${progress?.done ?? nothing}></progress>` : nothing}
    ${phase === "checking" ? html`<button type="button" class="plain" @click=${cancel}>${t("cancel")}</button>` : nothing}
  </div>`;
}

function verdict() {
  if (!state.verdict) return nothing;
  const { lines, tone, has_film } = state.verdict;
  const [head, ...rest] = lines;
  const buttons = html`<div class="buttons">
    <a class="seal" href=${FILM}>${t("watch")}</a>
    <button type="button" class="plain" @click=${() => judge?.ask("picture")}>
      ${t("picture")}
    </button>
  </div>`;
  return html`<section class="card checked ${tone}" aria-labelledby="verdict">
    <h2 tabindex="-1" id="verdict"><bdi>${head}</bdi></h2>
    ${has_film ? buttons : nothing}
    <ul>
      ${rest.map((line) => html`<li><bdi>${line.trim()}</bdi></li>`)}
    </ul>
  </section>`;
}

function chooser() {
  return html`<label class="card drop" ?data-aimed=${state.isAimed}>
    <input
      type="file"
      class="sr"
      ?disabled=${state.phase === "checking"}
      @change=${(/** @type {any} */ event) => {
        take(event.target.files);
        event.target.value = "";
      }}
    />
    <span class="seal">${t(state.verdict ? "choose_other" : "choose")}</span>
    <span class="dim">${t("drop")}</span>
  </label>`;
}

function page() {
  return html`<header class="bar">
      <p class="name">Hoity Toity</p>
      <select
        aria-label=${t("language")}
        @change=${(/** @type {any} */ event) => speak(event.target.value)}
      >
        ${Object.entries(languages).map(([code, { name }]) => html`<option value=${code} .selected=${code === state.language}>${name}</option>`)}
      </select>
    </header>
    <main class="files">
      <h1>${t("title")}</h1>
      <p>${t("about")}</p>
      ${chooser()}${progress()}${verdict()}
    </main>
    <footer class="files dim">${program}</footer>`;
}

function draw() {
  document.documentElement.lang = state.language;
  document.title = `Hoity Toity: ${t("title")}`;
  render(page(), /** @type {HTMLElement} */ (document.getElementById("site")));
}

/** @param {DragEvent} event */
function aim(event) {
  event.preventDefault();
  state.isAimed = event.type === "dragover";
  if (event.type === "drop") take(event.dataTransfer?.files);
  draw();
}

/**
 * Begin.
 * @param {() => Promise<Record<string, Uint8Array>>} load  Loads all that the worker needs.
 */
export async function open(load) {
  document.getElementById("start")?.remove();
  for (const kind of ["dragover", "dragleave", "drop"])
    addEventListener(kind, (event) => aim(/** @type {DragEvent} */ (event)));
  addEventListener("hashchange", show);
  draw();
  try {
    judge = new Judge(await load(), hear);
    state.phase = "starting";
    judge.start(state.language);
  } catch (error) {
    console.error(error);
    state.problem = "not_loaded";
  }
  draw();
}
