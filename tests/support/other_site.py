"""A site of somebody else on this computer, whose page tries what a page can try against a port."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ATTACKS = """async (target) => {
    const found = {};
    const noted = async (name, act) => {
        try {
            found[name] = String(await Promise.race([
                act(), new Promise((done) => setTimeout(done, 1500, "nothing"))]));
        } catch (error) { found[name] = "error"; }
    };
    const read = async (how) => (await fetch(how.url ?? target, how)).text();
    const loaded = (kind, set) => new Promise((done) => {
        const one = document.createElement(kind);
        Object.assign(one, set);
        one.onload = () => done(`loaded ${one.sheet ? one.sheet.cssRules.length : ""}`);
        one.onerror = () => done("error");
        document.body.append(one);
    });
    const socket = (address) => new Promise((done) => {
        const one = new WebSocket(address);
        one.onopen = () => done("open");
        one.onmessage = () => done("message");
        one.onclose = () => done("error");
    });
    const wait = (time) => new Promise((done) => setTimeout(done, time));
    const inside = (one) => {
        try { return one.document.body.innerText || "empty"; } catch (error) { return "error"; }
    };
    const table = target.replace("http", "ws") + "/table";
    await Promise.all([
        noted("fetch", () => read({})),
        noted("fetch file", () => read({ url: `${target}/main.js` })),
        noted("fetch with cookies", () => read({ credentials: "include" })),
        noted("fetch unread", () => read({ mode: "no-cors" })),
        noted("fetch head", () => read({ mode: "no-cors", method: "HEAD" })),
        noted("fetch post", () => read({ mode: "no-cors", method: "POST", body: "x" })),
        noted("fetch table", () => read({ url: `${target}/table`, mode: "no-cors" })),
        noted("fetch put", () => read({ method: "PUT", body: "x" })),
        noted("socket", () => socket(table)),
        noted("socket by name", () => socket(table.replace("127.0.0.1", "localhost"))),
        noted("events", () => new Promise((done) => {
            const one = new EventSource(`${target}/table`);
            one.onopen = () => done("open");
            one.onerror = () => (one.close(), done("error"));
        })),
        noted("script", () => loaded("script", { src: `${target}/labels.js` })),
        noted("module", () => loaded("script", { type: "module", src: `${target}/main.js` })),
        noted("style", () => loaded("link", { rel: "stylesheet", href: `${target}/page.css` })),
        noted("picture", () => loaded("img", { src: target })),
        noted("import", async () => Object.keys(await import(`${target}/labels.js`))),
        noted("worker", () => new Promise((done) => {
            const one = new Worker(`${target}/main.js`);
            one.onerror = () => done("error");
            one.onmessage = () => done("message");
        })),
        noted("service worker", () => navigator.serviceWorker.register(`${target}/main.js`)),
        noted("frame", async () => {
            const one = document.createElement("iframe");
            one.src = target;
            document.body.append(one);
            await wait(700);
            return inside(one.contentWindow);
        }),
        noted("form", async () => {
            const frame = document.createElement("iframe");
            frame.name = "answer";
            const form = document.createElement("form");
            Object.assign(form, { method: "post", action: target, target: "answer" });
            document.body.append(frame, form);
            form.submit();
            await wait(700);
            return inside(frame.contentWindow);
        }),
        noted("window", async () => {
            const one = open(target);
            await wait(700);
            return one ? (one.closed ? "error" : inside(one)) : "error";
        }),
    ]);
    return found;
}"""
"""What a page tries against an address. The result is what each attempt has got."""
COOKIE = "hoity-token=guessed"


class _Page(BaseHTTPRequestHandler):
    """A page of nothing, with a cookie for every port of the computer."""

    def do_GET(self) -> None:
        """Answer anything."""
        body = b"<!doctype html><title>Elsewhere</title><body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", f"{COOKIE}; HttpOnly; SameSite=Lax")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@contextmanager
def other_site() -> Iterator[int]:
    """The port of the other site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
