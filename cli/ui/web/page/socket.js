/** The socket to the player's own program: entering, and entering again when it was lost. */

const KEPT = "hoity-token";
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;
const REFUSED = 4001;
const REPLACED = 4002;

/**
 * Take the secret of the address, once: it is not to stay in the history of the browser.
 * @returns {string}
 */
function secretOfAddress() {
  const secret = location.hash.slice(1);
  if (secret) history.replaceState(null, "", location.pathname);
  return secret;
}

export class Socket {
  /**
   * @param {(message: any) => void} onMessage
   * @param {(link: "connecting" | "open" | "lost" | "refused" | "replaced" | "nowhere") => void} onLink
   */
  constructor(onMessage, onLink) {
    this.onMessage = onMessage;
    this.onLink = onLink;
    this.secret = secretOfAddress();
    this.pause = FIRST_PAUSE;
    this.isDone = false;
    /** @type {WebSocket | null} */
    this.wire = null;
  }

  /**
   * Connect and enter.
   * @param {boolean} [take]  Whether to take the table from another window.
   */
  open(take = false) {
    this.isDone = false;
    const token = sessionStorage.getItem(KEPT);
    if (!this.secret && !token) return this.onLink("nowhere");
    const wire = new WebSocket(
      `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/table`,
    );
    this.wire = wire;
    wire.onopen = () => wire.send(JSON.stringify({ ...this.#entrance(token), ...(take && { take }) }));
    wire.onmessage = (event) => this.#take(JSON.parse(event.data));
    wire.onclose = (event) => this.#closed(wire, event.code);
  }

  /** Enter anew: a window that enters is told everything. */
  renew() {
    this.wire?.close();
  }

  /** @param {string | null} token */
  #entrance(token) {
    if (this.secret) return { type: "enter", secret: this.secret };
    return { type: "enter", token };
  }

  /** @param {any} message */
  #take(message) {
    if (message?.type === "entered") {
      sessionStorage.setItem(KEPT, message.token);
      this.secret = "";
      this.pause = FIRST_PAUSE;
      this.onLink("open");
    }
    if (message?.type === "bye") this.isDone = true;
    this.onMessage(message);
  }

  /**
   * @param {WebSocket} wire
   * @param {number} code
   */
  #closed(wire, code) {
    if (wire !== this.wire) return;
    this.wire = null;
    if (code === REFUSED) return this.#refused();
    if (code === REPLACED) return this.onLink("replaced");
    if (this.isDone) return;
    this.onLink("lost");
    setTimeout(() => this.wire || this.isDone || this.open(), this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
  }

  /** A used secret may be that of this very tab, after a reload: its token is tried next. */
  #refused() {
    const hadSecret = this.secret !== "";
    this.secret = "";
    if (hadSecret && sessionStorage.getItem(KEPT)) return this.open();
    sessionStorage.removeItem(KEPT);
    this.isDone = true;
    this.onLink("refused");
  }

  /**
   * Send a message, if the socket is open.
   * @param {Record<string, unknown>} message
   * @returns {boolean}
   */
  send(message) {
    if (this.wire?.readyState !== WebSocket.OPEN) return false;
    this.wire.send(JSON.stringify(message));
    return true;
  }
}
