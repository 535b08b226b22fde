import type { Socket } from "node:net";
import { sleep } from "../../src/system.ts";

/** As many connections that have not shown the password of the run are kept, the newest, and each for so long. */
const MOST = 500;
const FOR_MS = 10_000;

/** The connections to the proxy whose client may be anybody on this machine. Each is known by the client's port. */
export class Strangers {
  readonly #waiting = new Map<number | undefined, { readonly socket: Socket; readonly known: AbortController }>();

  meet(socket: Socket): void {
    const port = socket.remotePort;
    const known = new AbortController();
    this.#waiting.set(port, { socket, known });
    socket.once("close", () => this.admit(port));
    void sleep(FOR_MS, known.signal).then(() => {
      if (!known.signal.aborted) socket.destroy();
    });
    const [oldest] = this.#waiting;
    if (!oldest || this.#waiting.size <= MOST) return;
    this.admit(oldest[0]);
    oldest[1].socket.destroy();
  }

  /** It has shown the password of the run, or it is closed. */
  admit(port: number | undefined): void {
    this.#waiting.get(port)?.known.abort();
    this.#waiting.delete(port);
  }
}
