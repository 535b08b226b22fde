import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createRequestLog } from "../../../sandbox/request-log.ts";
import { answeredRequest } from "../../support/answered.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { exchange } from "../../support/connection.ts";
import { rethrow } from "../../support/rethrow.ts";
import { startIn } from "../../support/sandbox.ts";
import { useScene } from "../../support/scene.ts";
import { rejectionOf } from "../../support/waiting.ts";

afterAll(cleanUp);

const sandbox = useScene();
const curlLines = async () => (await sandbox.request("GET", "/requests?format=curl")).text();

/** In which ways a secret can be written is in test/domain/identifiers.test.ts. */
describe("a secret is redacted in JSON, in curl lines and in events", () => {
  const secret = () => sandbox.caller.key.apiSecret;
  const get = (path: string, headers: Record<string, string> = {}) => sandbox.ask("GET", path, { headers });
  const CALLS: [where: string, call: () => Promise<unknown>][] = [
    ["in its header", () => get("/transactions.php")],
    ["in another header", () => get("/transactions.php", { "X-API-Key": secret() })],
    ["in the query", () => get(`/transactions.php?api_secret=${secret()}`)],
    [
      "in the query beside a body that the log cuts",
      () => sandbox.ask("POST", `/status.php?x=${secret()}`, { json: { note: "x ".repeat(3000) } }),
    ],
    ["in a query that the answer repeats", () => get(`/transactions.php?search=${secret()}`)],
    ["in the path", () => get(`/${secret()}`)],
    [
      "in a body",
      () => sandbox.ask("POST", "/status.php", { json: { api_secret: secret(), checkout_request_id: "x" } }),
    ],
  ];
  test.each(CALLS)("%s", async (_where, call) => {
    const stream = await sandbox.listen();
    await call();
    const events = await stream.until((all) => all.some(({ name }) => name === "request"));
    const requests = events.filter(({ name }) => name === "request");
    const { text } = await sandbox.call("GET", "/requests");
    expect(text).toContain("[redacted]");
    for (const shown of [text, await curlLines(), JSON.stringify(requests)]) {
      expect(shown.toLowerCase()).not.toContain(secret().slice(3));
    }
  });

  test("in the name of a member that a refusal repeats", async () => {
    for (const name of [secret(), secret().replace("_", "\\u005f")]) {
      const body = `[{"outcome":"cancelled","${name}":1}]`;
      const answer = await sandbox.call("POST", "/rules", { body, headers: { "Content-Type": "application/json" } });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain("[redacted]");
      expect(answer.text).not.toContain(secret().slice(3));
    }
  });
});

test("a header that is secret as a whole is shown nowhere, whatever its value", async () => {
  for (const name of ["X-API-Secret", "Authorization", "Proxy-Authorization", "Cookie"]) {
    await sandbox.ask("GET", "/transactions.php", { headers: { [name]: "shop:hunter2" } });
  }
  expect((await curlLines()).match(/^curl/gm)).toHaveLength(4);
  const { text } = await sandbox.call("GET", "/requests");
  for (const shown of [text, await curlLines()]) expect(shown).not.toContain("hunter2");
});

test("POST /_momo/requests/ID/replay sends a logged request again, with the sandbox's own key", async () => {
  const server = await startIn(join(newFolder(), "data"));
  await server.pay({ reference: "AGAIN" }, "manual");
  expect(await server.control("POST", "/requests/1/replay")).toMatchObject({ status: 200 });
  const { requests } = await server.control("GET", "/requests");
  const call = { target: "/v2/stkpush.php", body: expect.stringContaining("AGAIN"), status: 200 };
  expect(requests).toMatchObject([
    { ...call, id: 1 },
    {
      ...call,
      id: 2,
      headers: { "x-api-secret": "[redacted]", "x-sandbox-replay-of": "1", "x-sandbox-outcome": "manual" },
    },
  ]);
  expect(await server.control("GET", "/transactions")).toMatchObject({
    transactions: [{ reference: "AGAIN" }, { reference: "AGAIN" }],
  });
  expect(await server.control("GET", "/audit")).toMatchObject({ findings: [] });

  await server.control("PUT", "/faults", { faults: [{ kind: "disconnect", times: 1 }] });
  const lost = { message: "sent again: the answer is lost", status: null };
  expect(await server.control("POST", "/requests/1/replay")).toMatchObject(lost);
  await server.pay({ padding: "x".repeat(5000) });
  expect(String(await rejectionOf(server.control("POST", "/requests/4/replay")))).toContain(
    "does not have the whole body",
  );
  const ambiguous = "POST /v2/../v2/stkpush.php HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
  await exchange(server.origin, ambiguous, { answers: 1 });
  expect(String(await rejectionOf(server.control("POST", "/requests/5/replay")))).toContain("cannot be sent again");
  const search = "/v2/transactions.php?reference=AGAIN";
  await fetch(server.origin + search);
  expect(await server.control("POST", "/requests/6/replay")).toMatchObject({ status: 200 });
  expect((await server.control("GET", "/requests?after=6")).requests).toMatchObject([{ target: search, status: 200 }]);
  await server.stop();
});

test("the log has what bytes say that are not text, strict or lenient", async () => {
  const json = JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 5 });
  const latin1 = Buffer.from(json.replace("5}", '"5","reference":"\xff"}'), "latin1");
  await sandbox.ask("POST", "/stkpush.php", { body: latin1, headers: { "Content-Type": "application/json" } });
  await sandbox.ask("POST", "/status.php", { body: new Uint8Array([97, 255]) });
  expect(await sandbox.logged()).toMatchObject([
    { status: 400, leniencies: [], lenient_takes: false, body: expect.stringContaining("\u{FFFD}") },
    { status: 400, body: "a\u{FFFD}" },
  ]);
});

describe("lenient", () => {
  const sandbox = useScene({ profile: { accept: "lenient" } });

  test("a secret in a corrected member is not shown", async () => {
    const { apiSecret } = sandbox.caller.key;
    await sandbox.ask("GET", `/transactions.php?status=${apiSecret}`);
    expect(await sandbox.logged()).toMatchObject([{ leniencies: [{ member: "status", came: '"[redacted]"' }] }]);
    expect(JSON.stringify(await sandbox.logged())).not.toContain(apiSecret);
  });
});

/** Stands here once more, so that another value is noticed. */
const KEPT_LENGTH = 4096;

describe("the log keeps the beginning of each body and answer, and says how many bytes are missing", () => {
  const kept = (text: string) => {
    const log = createRequestLog(rethrow);
    log.add(answeredRequest({ body: text, answer: text, id: log.nextId() }));
    const [logged] = log.list();
    expect(logged).toMatchObject({ answer: logged?.body, answerCutBytes: logged?.bodyCutBytes });
    return { text: logged?.body ?? "", cutBytes: logged?.bodyCutBytes };
  };

  test("4,096 characters stay whole; of more, the rest is counted in bytes", () => {
    const whole = "x y ".repeat(KEPT_LENGTH / 4);
    expect(kept(whole)).toEqual({ text: whole, cutBytes: 0 });
    expect(kept(`${whole}é😀`)).toEqual({ text: whole, cutBytes: 6 });
    expect(kept("\u0001".repeat(64 * 1024))).toEqual({ text: "\u0001".repeat(KEPT_LENGTH), cutBytes: 60 * 1024 });
  });

  test("no character is cut in two", () => {
    const text = `.${"😀".repeat(KEPT_LENGTH / 2)}`;
    expect(kept(text)).toEqual({ text: `.${"😀".repeat(KEPT_LENGTH / 2 - 1)}`, cutBytes: 4 });
  });

  test("of a word that is longer than any secret, most is kept", () => {
    expect(kept("x".repeat(5000))).toEqual({ text: "x".repeat(KEPT_LENGTH - 600), cutBytes: 904 + 600 });
  });

  const SECRET = `ms_${"a1b2".repeat(10)}`;
  const ESCAPED = [...SECRET].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("");
  test.each([SECRET, ESCAPED])("the first part of a secret at the cut is not kept: %s", (secret) => {
    for (let before = 1; before <= secret.length; before += 1) {
      const { text } = kept(`${".".repeat(KEPT_LENGTH - before)}${secret}${".".repeat(99)}`);
      expect(text.replace(secret, "")).toMatch(/^[.]+$/);
    }
  });
});

test("the last 1,000 requests are kept, oldest first; a cleared log goes on counting", () => {
  const log = createRequestLog(rethrow);
  const add = (count: number) => {
    for (let index = 0; index < count; index++) log.add(answeredRequest({ id: log.nextId() }));
  };
  const ids = () => log.list().map(({ id }) => id);
  add(1000);
  expect(ids()).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
  add(1);
  expect(ids()).toEqual(Array.from({ length: 1000 }, (_, index) => index + 2));
  log.clear();
  add(1);
  expect(ids()).toEqual([1002]);
  add(1500);
  expect(ids()).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1503));
});
