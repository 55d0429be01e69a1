/** The worker that checks files, as the page sees it. It is ended to cancel a check. */

export class Judge {
  /**
   * @param {Record<string, Uint8Array>} files  All that the worker needs, by name.
   * @param {(said: any) => void} hear  Takes what the worker says, `{failed: true}` for its end.
   */
  constructor(files, hear) {
    const { "worker.js": script, ...rest } = files;
    this.files = rest;
    this.script = new Blob([/** @type {any} */ (script)], { type: "text/javascript" });
    this.hear = hear;
    /** @type {Worker | null} */
    this.worker = null;
  }

  /**
   * Start, in the place of the worker that was there.
   * @param {string} language
   */
  start(language) {
    this.worker?.terminate();
    const address = URL.createObjectURL(this.script);
    const worker = new Worker(address);
    this.worker = worker;
    worker.onmessage = ({ data }) => this.worker === worker && this.hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.worker === worker) this.hear({ failed: true });
    };
    this.ask("begin", { files: this.files, language });
  }

  /**
   * @param {string} act
   * @param {Record<string, unknown>} [wanted]
   */
  ask(act, wanted = {}) {
    this.worker?.postMessage({ act, ...wanted });
  }
}
