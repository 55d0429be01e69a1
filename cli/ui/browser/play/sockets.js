/** WebSockets for Python. */

const SUBPROTOCOL = "hoity-relay";

/**
 * Open a socket. Python's functions are kept until it has ended.
 * @param {string} url
 * @param {any} opened
 * @param {any} received
 * @param {any} ended
 */
export function dial(url, opened, received, ended) {
  const calls = [opened, received, ended].map((one) => one.copy());
  const socket = new WebSocket(url, [SUBPROTOCOL]);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => calls[0]();
  socket.onmessage = ({ data }) => {
    // A relay of ours sends no text.
    if (typeof data === "string") socket.close();
    else calls[1](new Uint8Array(data));
  };
  socket.onclose = () => {
    calls[2]();
    for (const one of calls) one.destroy();
  };
  return {
    unsent: () => socket.bufferedAmount,
    /** @param {any} data  Bytes of Python. */
    send(data) {
      const view = data.getBuffer("u8");
      // The browser copies the bytes at once.
      if (socket.readyState === WebSocket.OPEN) socket.send(view.data);
      view.release();
    },
    close: () => socket.close(),
  };
}
