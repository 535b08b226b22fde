import { afterAll, expect, test } from "bun:test";
import { followEvents } from "../../cli/client/follow.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { runMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

test("an event that is not JSON ends the connection, as if it was lost", async () => {
  const stream = new Blob(['event: x\ndata: {"a":1}\n\ndata: {\n\nevent: y\ndata: {}\n\n']).stream();
  const stopped = new AbortController();
  const names: string[] = [];
  const target = () => expect.unreachable("it was stopped");
  await followEvents(
    target,
    stream,
    ({ name }) => {
      names.push(name);
      if (name === "lost") stopped.abort();
    },
    stopped.signal,
  );
  expect(names).toEqual(["connected", "x", "lost"]);
});

test("momo list asks as often for ten rows with their references as for one", async () => {
  const { origin, pay, headers } = await startIn(newFolder());
  for (let count = 0; count < 10; count += 1) await pay({ reference: `ORDER-${count}` });
  const relay = serveFake((request) => fetch(request.url.replace(new URL(request.url).origin, origin), request));
  const env = {
    MOMO_BASE_URL: relay.baseUrl,
    MOMO_CONTROL_URL: relay.baseUrl.replace("/v2", "/_momo"),
    MOMO_API_KEY: headers["X-API-Key"] ?? "",
    MOMO_API_SECRET: headers["X-API-Secret"] ?? "",
  };
  const asked = async (limit: string) => {
    const before = relay.requests.length;
    const { stdout } = await runMomo(["list", "--format", "table", "--limit", limit], { env });
    expect(stdout.match(/ORDER-/g)).toHaveLength(Number(limit));
    return relay.requests.length - before;
  };
  expect(await asked("10")).toBe(await asked("1"));
});
