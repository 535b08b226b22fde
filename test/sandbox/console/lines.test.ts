import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { controlCurl, momoLine, momoWords, replayCurl } from "../../../sandbox/console/browser/logic/commands.ts";
import { dayAt, instantOf, longDayOf, preciseClock, wallClock } from "../../../sandbox/console/browser/logic/format.ts";
import {
  assignChips,
  choosePhone,
  countdown,
  type PhoneState,
  sandboxNowMs,
} from "../../../sandbox/console/browser/logic/phone.ts";
import { timelineOf } from "../../../sandbox/console/browser/logic/timeline.ts";
import type { LoggedRequest } from "../../../sandbox/console/browser/wire.ts";
import { quoted } from "../../../sandbox/curl.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";

afterAll(cleanUp);

test("the sandbox's time goes on from the last reading, unless it is frozen", () => {
  expect(sandboxNowMs({ now_ms: 1000, frozen: false, takenAtMs: 500 }, 700)).toBe(1200);
  expect(sandboxNowMs({ now_ms: 1000, frozen: true, takenAtMs: 500 }, 99_999)).toBe(1000);
  // A reading that another one has just replaced.
  expect(sandboxNowMs({ now_ms: 1000, frozen: false, takenAtMs: 500 }, 400)).toBe(1000);
});

test("a countdown of one minute", () => {
  const shown = [0, 1, 1000, 59_999, 60_000, 70_000, -5000].map((nowMs) => countdown(0, 60_000, nowMs));
  expect(shown.map(({ text }) => text)).toEqual(["1:00", "1:00", "0:59", "0:01", "0:00", "0:00", "1:00"]);
  expect(shown.map(({ share }) => share)).toEqual([1, 59_999 / 60_000, 59 / 60, 1 / 60_000, 0, 0, 1]);
  expect(countdown(5000, 5000, 1000)).toEqual({ text: "0:00", share: 0 }); // without a length it is at its end
});

test("times are in Nairobi, in every time zone of the browser", () => {
  const atMs = Date.UTC(2026, 10, 20, 22, 30, 5);
  expect(wallClock(atMs)).toBe("01:30:05");
  expect(preciseClock(atMs + 250)).toBe("01:30:05.250");
  expect(dayAt(atMs)).toBe("2026-11-21");
  expect(longDayOf(atMs)).toBe("Saturday 21 November");
  expect(instantOf("2026-11-21 01:30:05")).toBe(atMs);
});

describe("the line of a payment, to scale", () => {
  const startMs = Date.UTC(2026, 10, 20, 7);
  const request = (target: string, afterMs: number, interval_ms: number | null) => ({
    target: `/v2/${target}`,
    at_ms: startMs + afterMs,
    interval_ms,
    status: 200,
  });
  const line = (status: string, requests: object[], at_ms: number | null, webhooks: object[] = []) =>
    timelineOf({
      transaction: { status, created_at: "2026-11-20 10:00:00" },
      prompt: { expires_at_ms: startMs + 60_000 },
      decided_by: { at_ms },
      requests,
      webhooks,
    } as unknown as Parameters<typeof timelineOf>[0]);

  test("has each poll, early or late after the request before, and the 3 to 5 s that are recommended", () => {
    const polls = [1000, 5000, 20_000].map((ms, index) => request("status.php", ms, [1000, 4000, 15_000][index] ?? 0));
    const requests = [request("stkpush.php", 0, null), ...polls];
    const { lengthMs, marks, bands, endsAt } = line("completed", requests, startMs + 10_000);
    const msOf = (share?: number | null) => Math.round((share ?? 0) * lengthMs);
    expect(marks.map(({ at, pace }) => `${msOf(at)} ${pace}`)).toEqual(["1000 early", "5000 right", "20000 late"]);
    // A little more than until the last event; the next poll after it would be beyond the end.
    expect([msOf(endsAt), lengthMs]).toEqual([10_000, 22_000]);
    expect(bands.map(({ from, to }) => `${msOf(from)} ${msOf(to)}`)).toEqual(["3000 5000", "4000 6000", "8000 10000"]);
  });

  test("has the deliveries of webhooks, and says what each request was answered", () => {
    const requests = [
      { ...request("stkpush.php", -400, null), status: 500 },
      { ...request("status.php", 600, null), status: 429 },
      { ...request("status.php", 1600, 1000), status: null },
    ];
    const attempt = (afterMs: number, status: number | null) => ({ at_ms: startMs + afterMs, status });
    const webhooks = [{ attempts: [attempt(39_600, 503), attempt(69_600, null)] }, { attempts: [attempt(9600, 200)] }];
    const { marks, lengthMs, endsAt } = line("completed", requests, null, webhooks);
    expect(marks.map(({ what, offsetMs, words, pace }) => `${what} ${offsetMs}: ${words}, ${pace}`)).toEqual([
      ...["poll 1000: poll, HTTP 429, right", "poll 2000: poll, HTTP lost, early"],
      ...["webhook 40000: webhook, HTTP 503, right", "webhook 70000: webhook, no answer, right"],
      "webhook 10000: webhook, HTTP 200, right",
    ]);
    // Nobody knows when it ended, so it ended with its prompt.
    expect(Math.round((endsAt ?? 0) * lengthMs)).toBe(60_400);
    expect(Math.round(lengthMs)).toBe(77_000);
  });

  test("has the last 200 polls and the last 200 deliveries, and at least ten seconds", () => {
    const many = Array.from({ length: 201 }, (_, index) => startMs + index);
    const polls = many.map((at_ms) => ({ ...request("status.php", 0, 1000), at_ms }));
    const { marks, lengthMs } = line("completed", polls, startMs, [
      { attempts: many.map((at_ms) => ({ at_ms, status: 200 })) },
    ]);
    const offsets = Array.from({ length: 200 }, (_, index) => index + 1);
    expect(marks.map(({ offsetMs }) => offsetMs)).toEqual([...offsets, ...offsets]);
    expect(lengthMs).toBe(10_000);
  });

  test("a poll is early before 2,850 ms, and late after 5,150 ms", () => {
    const polls = [2849, 2850, 5150, 5151].map((intervalMs) => request("status.php", 9000, intervalMs));
    const { marks } = line("pending", [request("stkpush.php", 0, null), ...polls], null);
    expect(marks.map(({ pace }) => pace)).toEqual(["early", "right", "right", "late"]);
  });

  test("of a pending payment ends with its prompt, and has no end if a person decides", () => {
    expect(line("pending", [], null)).toMatchObject({ lengthMs: 60_000, expiresAt: 1, endsAt: null, marks: [] });
    // A decided end, and a poll, after the prompt; a poll that the clock of another server places before the start.
    const polls = [request("status.php", -500, null), request("status.php", 90_000, null)];
    expect(line("pending", [], startMs + 75_000)).toMatchObject({ lengthMs: 75_000, expiresAt: 0.8, endsAt: 1 });
    expect(line("pending", polls, null)).toMatchObject({ lengthMs: 90_000, marks: [{ at: 0 }, { at: 1 }] });
  });
});

const SERVER = {
  base_url: "http://127.0.0.1:2547/v2",
  control_url: "http://127.0.0.1:2547/_momo",
  api_key: "mk_own",
  data: null as string | null,
};

/** The words of a line, as a shell reads them. */
async function wordsOf(line: string): Promise<string[]> {
  const shell = Bun.spawn(["sh", "-c", `MOMO_API_SECRET=ms_2; for word in ${line}; do printf '%s\\0' "$word"; done`], {
    stdout: "pipe",
  });
  return (await new Response(shell.stdout).text()).split("\0").slice(0, -1);
}

test("a shell reads every quoted word unchanged", async () => {
  const hostile = ["plain", "two words", "it's", '"$(touch x)"', "`id`", "a\nb", "-d", "", "ünï €", "\\"];
  expect(await wordsOf(hostile.map(quoted).join(" "))).toEqual(hostile);
});

test("a request to the control API as curl takes the token from the shell, or from the data directory", async () => {
  expect(controlCurl(SERVER, true, "DELETE", "/rules")).toBe(
    `curl -s -X DELETE http://127.0.0.1:2547/_momo/rules -H "Authorization: Bearer \${MOMO_CONTROL_TOKEN:?set it to the control token}"`,
  );
  const data = newFolder();
  writeFileSync(join(data, "server.json"), JSON.stringify({ pid: 1, control_token: "t0ken", data }, null, 2));
  const lineFor = async (server: typeof SERVER, method: string, path: string, body?: unknown) =>
    (await wordsOf(controlCurl(server, server !== SERVER, method, path, body))).join(" ");
  const address = "http://127.0.0.1:2547/_momo";
  expect(await lineFor({ ...SERVER, data }, "GET", "/rules")).toBe(
    `curl -s ${address}/rules -H Authorization: Bearer t0ken`,
  );
  expect(await lineFor(SERVER, "POST", "/reset")).toBe(`curl -s -X POST ${address}/reset`);
  const json = "-H Content-Type: application/json -d";
  expect(await lineFor(SERVER, "POST", "/a?b=1&c=2", [])).toBe(`curl -s ${address}/a?b=1&c=2 ${json} []`);
  expect(await lineFor(SERVER, "PUT", "/default", { outcome: "it's" })).toBe(
    `curl -s -X PUT ${address}/default ${json} {"outcome":"it's"}`,
  );
});

test("a momo command has the program and the data directory of the server, and no empty flags", () => {
  const words = momoWords(["pay", "100"], { "--reference": "my order", "--outcome": "", "--kind": undefined });
  expect(words).toBe("pay 100 --reference 'my order'");
  const lineFor = (program: string, flags: string) => momoLine({ command: { program, flags } }, words);
  expect(lineFor("momo", "")).toBe(`momo ${words}`);
  expect(lineFor("/opt/momo", "--data /tmp/a")).toBe(`/opt/momo ${words} --data /tmp/a`);
});

describe("a logged request as curl", () => {
  const lineOf = (request: object) =>
    replayCurl({ target: "/v2/status.php", headers: {}, body: null, ...request } as LoggedRequest, SERVER);

  test("is sent unchanged, but takes the secret from the shell", async () => {
    const line = lineOf({
      method: "POST",
      target: "/v2/stkpush.php?x='1'",
      headers: { host: "h", "x-api-key": "mk_1", "x-api-secret": "[redacted]", "content-type": "application/json" },
      body: `{"reference":"it's"}`,
    });
    expect(await wordsOf(line)).toEqual([
      ...["curl", "-g", "-X", "POST", "http://127.0.0.1:2547/v2/stkpush.php?x='1'"],
      ...["-H", "x-api-key: mk_1", "-H", "x-api-secret: ms_2", "-H", "content-type: application/json"],
      ...["--data-raw", `{"reference":"it's"}`],
    ]);
  });

  test.each([
    ["GET", "/v2/status.php", "curl -g"],
    ["HEAD", "/v2/status.php", "curl -g -I"],
    ["PUT", "/v2/status.php", "curl -g -X PUT"],
    ["A|B", "/v2/status.php", "curl -g -X 'A|B'"],
    ...["/v2/../status.php", "/v2/./status.php", "/v2/..", "/v2/.?x"].map((target) => [
      ...["GET", target, "curl -g --path-as-is"],
    ]),
    ...["/v2/.hidden", "/v2/a..?x"].map((target) => ["GET", target, "curl -g"]),
  ])("%s %s", (method, target, command) => {
    expect(lineOf({ method, target })).toBe(`${command} 'http://127.0.0.1:2547${target}'`);
  });

  test("has the secret of the sandbox's own key from the data directory, and asks for that of another key", async () => {
    const data = join(newFolder(), "it's a folder");
    mkdirSync(data);
    writeFileSync(join(data, "credentials.json"), JSON.stringify({ api_secret: "ms_own", data }, null, 2));
    const wordsFor = (key: string) => {
      const headers = { "x-api-key": key, "x-api-secret": "[redacted]", "x-sandbox-outcome": "manual", accept: "*/*" };
      const request = { method: "GET", target: "/v2/status.php", headers, body: null } as unknown as LoggedRequest;
      return wordsOf(replayCurl(request, { ...SERVER, data }));
    };
    const wordsWith = (key: string, secret: string) => [
      ...["curl", "-g", "http://127.0.0.1:2547/v2/status.php", "-H", `x-api-key: ${key}`],
      ...["-H", `x-api-secret: ${secret}`, "-H", "x-sandbox-outcome: manual"],
    ];
    expect(await wordsFor("mk_own")).toEqual(wordsWith("mk_own", "ms_own"));
    expect(await wordsFor("mk_other")).toEqual(wordsWith("mk_other", "ms_2"));
    const headers = { "x-api-key": SERVER.api_key, "x-api-secret": "[redacted]" };
    expect(await wordsOf(lineOf({ method: "GET", headers }))).toContain("x-api-secret: ms_2");
  });
});

const idle = (phone: string) => ({ phone, openPrompts: 0, hasNote: false });
const rings = (phone: string) => ({ phone, openPrompts: 1, hasNote: false });
const noted = (phone: string) => ({ phone, openPrompts: 0, hasNote: true });

type Phone = string | null;
const HANDSET: [name: string, shown: Phone, phones: PhoneState[], picked: Phone, next: Phone][] = [
  ["there are no phones", null, [], null, null],
  ["none rings: the last one", null, [idle("a"), idle("b")], null, "b"],
  ["none rings: the shown one stays", "a", [idle("a"), idle("b")], null, "a"],
  ["the first one that rings", "a", [noted("a"), rings("b"), rings("c")], null, "b"],
  ["the shown one, while it rings", "c", [idle("a"), rings("b"), rings("c")], null, "c"],
  ["the picked one, before all others", "a", [rings("a"), idle("b")], "b", "b"],
];
test.each(HANDSET)("the phone on the handset: %s", (_, shown, phones, picked, next) => {
  expect(choosePhone(shown, phones, picked)).toBe(next);
});

const CHIPS: [name: string, before: Phone[], phones: PhoneState[], chips: Phone[]][] = [
  ["the last ones, if none rings", [], [idle("a"), idle("b"), idle("c")], ["c", "b"]],
  ["those that ring, then those with a note", [], [rings("a"), noted("b"), idle("c")], ["a", "b"]],
  ["empty places", [], [rings("a")], ["a", null]],
  ["a phone keeps its place", ["a", "b", "c"], [rings("d"), rings("c"), idle("a")], ["a", "d", "c"]],
  ["also if another one begins to ring", ["a", "b"], [rings("a"), rings("b"), rings("c")], ["a", "b"]],
  ["an idle one makes room", ["a", "b"], [idle("a"), rings("b"), rings("c")], ["c", "b"]],
];
test.each(CHIPS)("the phones beside it: %s", (_, before, phones, chips) => {
  expect(assignChips(before, phones, chips.length)).toEqual(chips);
});
