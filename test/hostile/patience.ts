import { exchange, listRequest, ORDER, startRequest } from "./bytes.ts";
import type { Property } from "./requests.ts";

/** Longer than momo waits. The runtime's timers are coarse. */
const SILENT_MS = 40_000;

/** What a client sends before it stalls, and how many seconds momo waits for more. */
const STALLED: readonly [name: string, part: (list: string, start: string) => string, waitsS: number][] = [
  ["nothing at all", () => "", 10],
  ["half a head", (list) => list.slice(0, 40), 10],
  ["half a body", (_list, start) => start.slice(0, -10), 30],
];

/** The connection of a client that stalls is closed in time, without an answer. This takes half a minute, for any number of runs. */
export const patience: Property = async (server) => {
  const list = listRequest(server);
  const start = startRequest(server, `Content-Length: ${ORDER.length}\r\n`, ORDER);
  await Promise.all(
    STALLED.map(async ([name, part, waitsS]) => {
      const startedMs = performance.now();
      const { received, closed } = await exchange(server, Buffer.from(part(list, start), "latin1"), SILENT_MS);
      const tookS = (performance.now() - startedMs) / 1000;
      if (!closed || received !== "" || Math.abs(tookS - waitsS) > 5) {
        throw new Error(`${name}: ${closed ? "closed" : "still open"} after ${tookS.toFixed(1)} s, ${received}`);
      }
    }),
  );
};
