import { expect, test } from "bun:test";
import { respond, succeed } from "../../src/http/reply.ts";
import { startServer } from "../../src/http/server.ts";
import { sleep } from "../../src/system.ts";

test("more requests at once than can be under way are refused with 503; when some are answered others are served again", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const server = startServer({
    hostname: "127.0.0.1",
    port: 0,
    busyPaths: [],
    maxUnderWay: 3,
    reportFault: () => {},
    sleep,
    handle: async () => {
      await released;
      return respond(succeed("served", {}));
    },
  });
  const statuses: number[] = [];
  const ask = () => fetch(`http://127.0.0.1:${server.port}/`).then(({ status }) => void statuses.push(status));
  const asked = Array.from({ length: 5 }, ask);
  while (statuses.length < 2) await Bun.sleep(1);
  expect(statuses).toEqual([503, 503]);
  release();
  await Promise.all(asked);
  expect(statuses).toEqual([503, 503, 200, 200, 200]);
  await ask();
  expect(statuses.at(-1)).toBe(200);
  await server.stop(0);
});
