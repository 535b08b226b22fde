import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { flagsOf, serveFake } from "../support/fake-server.ts";
import { PROGRAM, runMomo, runToEnd } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const sandbox = await startIn(newFolder());
for (let count = 1; count <= 4; count++) await sandbox.pay({ amount: count }, "manual");
const list = (...flags: string[]) => runMomo(["list", ...sandbox.at, ...flags]);

test.concurrent("`momo list` prints the server's answer unchanged", async () => {
  const run = await list("--limit", "3", "--page", "2");
  const answer = await fetch(`${sandbox.baseUrl}/transactions.php?limit=3&page=2`, { headers: sandbox.headers });
  expect(JSON.parse(run.stdout)).toEqual(await answer.json());
  expect(JSON.parse(run.stdout).transactions).toMatchObject([{ id: 1 }]);
  expect(run).toMatchObject({ stderr: "", exitCode: 0 });
});

test.concurrent("every filter of the API has a flag", async () => {
  const server = serveFake(() => Response.json({ success: true, message: "", transactions: [{ id: 7 }] }));
  const asked = async (...flags: string[]) => {
    await runMomo(["list", ...flagsOf(server), ...flags]);
    return Object.fromEntries(new URL(server.requests.at(-1)?.url ?? "").searchParams);
  };
  const paging = ["--limit", "5", "--page", "3", "--type", "API", "--status", "failed"];
  const range = ["--search", "order-1", "--from", "2020-01-01", "--to", "2020-01-31"];
  expect(await asked(...paging, ...range)).toEqual({
    ...{ limit: "5", page: "3", type: "api", status: "failed" },
    ...{ search: "order-1", date_from: "2020-01-01", date_to: "2020-01-31" },
  });
  const day = "2020-01-01"; // one day is a range, too
  expect(await asked("--from", day, "--to", day)).toEqual({ date_from: day, date_to: day });
  for (const number of ["7", "#7"]) expect(await asked("--id", number)).toEqual({ id: "7" });
  expect(await asked("--id", "ws_CO_7")).toEqual({ search: "ws_CO_7" });
});

test.concurrent("a reader that has gone is no error", async () => {
  const script = '{ sleep 0.1; "$@"; echo "exit $?" >&2; } | true';
  const run = await runToEnd(["sh", "-c", script, "sh", ...PROGRAM, "list", ...sandbox.at]);
  expect(run).toMatchObject({ stdout: "", stderr: "exit 0\n" });
});

test.concurrent("`-q` prints the transaction ids, newest first", async () => {
  expect((await list("-q", "--limit", "3")).stdout).toBe("4\n3\n2\n");
});

test.concurrent("on a missing directory it creates nothing: exit 6, and says how to start a server", async () => {
  const data = join(newFolder(), "mistyped");
  const run = await runMomo(["list", "--data", data]);
  expect(run).toMatchObject({ stdout: "", exitCode: 6, stderr: expect.stringContaining("momo serve") });
  expect(existsSync(data)).toBe(false);
});

test.concurrent("it understands a server that answers in the short form", async () => {
  const short = await startIn(newFolder(), { profile: { response_form: "short" } });
  await short.pay();
  expect((await runMomo(["list", ...short.at, "-q"])).stdout).toBe("1\n");
  expect(JSON.parse((await runMomo(["list", ...short.at])).stdout)).toHaveProperty("data");
});
