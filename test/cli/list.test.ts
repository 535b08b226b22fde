import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { failureOf, runMomo, serveMomo } from "../support/momo.ts";
import { openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

const { at, post, get } = await serveMomo();

beforeAll(async () => {
  for (let count = 1; count <= 12; count++) {
    await post("/stkpush.php", {
      payment_account_id: 1,
      phone: count % 2 ? "0712345678" : "0798765432",
      amount: count,
      reference: `order-${count}`,
    });
  }
});

const list = (...flags: string[]) => runMomo(["list", ...at, ...flags]);

test.concurrent("`momo list` prints the server's answer as it came", async () => {
  const run = await list();
  const answer: unknown = await (await get("/transactions.php")).json();
  expect(JSON.parse(run.stdout)).toEqual(answer);
  expect(run).toMatchObject({ stderr: "", exitCode: 0 });
});

const FILTERS: [flags: string[], query: string, count: number][] = [
  [["--limit", "5", "--page", "3"], "limit=5&page=3", 2],
  [["--type", "api", "--limit", "100"], "type=api&limit=100", 12],
  [["--status", "completed"], "status=completed", 0],
  [["--search", "order-1", "--limit", "50"], "search=order-1&limit=50", 4],
  [["--id", "7"], "id=7", 1],
  [["--from", "2020-01-01", "--to", "2020-01-31"], "date_from=2020-01-01&date_to=2020-01-31", 0],
];
for (const [flags, query, count] of FILTERS) {
  test.concurrent(`\`${flags.join(" ")}\` asks for ${query}`, async () => {
    const { stdout } = await list(...flags, "--json");
    const answer = JSON.parse(stdout) as { transactions: unknown[] };
    expect(answer.transactions).toHaveLength(count);
    const expected: unknown = await (await get(`/transactions.php?${query}`)).json();
    expect<unknown>(answer).toEqual(expected);
  });
}

test.concurrent("`-q` prints the transaction ids, newest first", async () => {
  expect((await list("-q", "--limit", "3")).stdout).toBe("12\n11\n10\n");
});

test.concurrent("a filter that makes no sense: exit 2 in the command line's words, before any request", async () => {
  const server = serveFake(() => new Response());
  const nobody = ["--base-url", server.baseUrl, "--api-key", "mk_1", "--api-secret", "ms_1"];
  for (const [flags, message] of [
    [["--limit", "101"], '--limit must be a whole number from 1 to 100; it is "101"'],
    [["--from", "yesterday"], '--from must be a day of the calendar, written YYYY-MM-DD; it is "yesterday"'],
    [
      ["--from", "2026-02-02", "--to", "2026-01-01"],
      "--from must not be after --to; they are 2026-02-02 and 2026-01-01",
    ],
    [["--status", "paid"], '--status must be one of pending, completed, failed, cancelled, expired; it is "paid"'],
  ] as const) {
    const run = await runMomo(["list", ...nobody, ...flags, "--json"]);
    expect(failureOf(run)).toEqual({ code: "usage", message, hint: "momo list --help shows how it is used" });
    expect(run).toMatchObject({ stdout: "", exitCode: 2 });
  }
  expect(server.requests).toEqual([]);
});

test.concurrent("`--id` of no transaction: exit 3", async () => {
  expect(await list("--id", "999")).toMatchObject({ stdout: "", exitCode: 3 });
});

test.concurrent("`list` on a missing directory creates nothing: exit 6, and says how to start a server", async () => {
  const data = join(newFolder(), "mistyped");
  const run = await runMomo(["list", "--data", data]);
  expect(run).toMatchObject({ stdout: "", exitCode: 6, stderr: expect.stringContaining("momo serve") });
  expect(existsSync(data)).toBe(false);
});

test.concurrent("on a terminal `list` is a table with the page below", async () => {
  const { screen, exited } = openMomo(["list", ...at, "--limit", "5"], { env: { NO_COLOR: "1" } });
  expect(await exited).toBe(0);
  expect(screen.text).toMatch(/^id +age +status +amount +phone +reference\r\n12 +(?:now|\d+s) +• pending +12\.00 /);
  expect(screen.text).toMatch(
    /page 1 of 3, 12 in all\r\nNext page: momo list --limit 5 --page 2 .*\r\nOne of them: momo status 12 /,
  );
});

test.concurrent("at 80 columns a reason stays whole beside a long reference", async () => {
  const { at: there, post } = await serveMomo();
  const order = { payment_account_id: 1, phone: "254700000001", amount: 250_000, reference: "ORDER ".repeat(16) };
  await post("/stkpush.php", order);
  await runMomo(["clock", "advance", "3s", ...there]);
  const { screen, exited } = openMomo(["list", ...there], { env: { NO_COLOR: "1" }, columns: 80 });
  expect(await exited).toBe(0);
  expect(screen.text).toMatch(/ 250,000\.00 .* ORDER .*… +insufficient funds \(1\)\r\n/);
});

test.concurrent("`list` understands a server that answers in the short form", async () => {
  const short = await serveMomo(["--response-form", "short"]);
  await short.post("/stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 1 });
  expect((await runMomo(["list", ...short.at, "-q"])).stdout).toBe("1\n");
  const { stdout } = await runMomo(["list", ...short.at]);
  expect(JSON.parse(stdout)).toHaveProperty("data");
});
