import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type Child, startChild } from "../../support/child.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { describeWith } from "../../support/needs.ts";
import { type Sandbox, startIn } from "../../support/sandbox.ts";
import { TEST_TIMEOUT_MS } from "../../support/waiting.ts";

/** A real validating proxy between a client and momo, which knows only momo's description. */

const PRISM = join(import.meta.dir, "node_modules/.bin/prism");

const order = { payment_account_id: 1, phone: "0712345678", amount: 100 };

const ORDERS: object[] = [
  ...[1, 1.01, 19.99, 64.1, 99.5, 1234.56, 8.2, 1.1, 250_000.01, 999_999_999.99].map((amount) => ({
    ...order,
    amount,
  })),
  ...["0712345678", "0112345678", "254712345678", "254000000000"].map((phone) => ({ ...order, phone })),
  ...["", "ORDER-1", "ünï→😀", "😀".repeat(100), "\u0000\n"].map((reference) => ({ ...order, reference })),
  ...["", "x".repeat(182)].map((description) => ({ ...order, description })),
  { ...order, callback_url: "x", Amount: "0", nested: { a: [null] } },
];

const BODIES: string[] = [
  '{"payment_account_id":1.0,"phone":"0712345678","amount":1e2}',
  ' \n{"amount":100.00,"amount":64.10,"payment_account_id":1,"phone":"0712345678"}\n',
];

const TYPES = ["application/json; charset=utf-8", "Application/JSON", 'application/json;charset="UTF-8"'];

const QUERIES = [
  "",
  "page=1&limit=1",
  "page=9007199254740991&limit=100",
  ...["api", "API", "Web", "wallet_deposit", "WALLET_Deposit", "credit_TOPUP"].map((type) => `type=${type}`),
  ...["pending", "Completed", "FAILED", "cancelled", "eXpIrEd"].map((status) => `status=${status}`),
  "date_from=2026-01-01&date_to=2026-12-31",
  "date_from=0001-01-01",
  "date_to=2024-02-29",
  ...["0712", "254712", "%2B254712", "+254712", "7", "ORDER", "%F0%9F%98%80", "x".repeat(100)].map(
    (s) => `search=${s}`,
  ),
  ...["1", "007", "-5", "0", "999999999999999999999999999999"].map((id) => `id=${id}`),
  "unknown=1&unknown=2&X=",
  "type=%61pi&status=PENDING&date_from=2026-01-01&search=07&page=1&limit=5",
];

describeWith(["Prism", "node"], "Prism as a validating proxy passes everything that momo accepts", validatingProxy);

function validatingProxy(): void {
  let sandbox: Sandbox;
  let prism: Child;
  let proxy: string;

  beforeAll(async () => {
    const home = newFolder();
    sandbox = await startIn(join(home, "data"));
    // Without an address of ours: the description names the server.
    const description = `${sandbox.origin}/openapi.json`;
    const { servers } = (await (await fetch(description)).json()) as { servers: [{ url: string }] };
    prism = startChild(
      ["node", PRISM, "proxy", description, servers[0].url, "--host", "127.0.0.1", "--port", "0", "--errors"],
      { env: { PATH: process.env.PATH ?? "", HOME: home }, cwd: home },
    );
    [, proxy = ""] = await prism.stdout.until(/listening on (http:\S+)/);
  }, TEST_TIMEOUT_MS);
  afterAll(async () => {
    prism.signal("SIGKILL");
    await prism.exited;
    await cleanUp();
  });

  /** Sends the same to momo itself and through the proxy: the answers have the same status and members. */
  async function expectPassed(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
    const answers = [];
    for (const address of [sandbox.baseUrl, proxy]) {
      const answer = await fetch(address + path, { ...init, headers: { ...sandbox.headers, ...init.headers } });
      const body = (await answer.json()) as Record<string, unknown>;
      answers.push({ status: answer.status, members: Object.keys(body), body });
    }
    const [direct, passed] = answers;
    const isTaken = direct?.status === 200 || direct?.status === 404;
    expect({ sent: init.body ?? path, isTaken, answer: direct?.body }).toMatchObject({ isTaken: true });
    expect({ sent: init.body ?? path, ...passed }).toMatchObject({ status: direct?.status, members: direct?.members });
    return passed?.body ?? {};
  }

  const expectOrderPassed = (body: string, type = "application/json") =>
    expectPassed("/stkpush.php", { method: "POST", headers: { "Content-Type": type }, body });

  test("amounts with cents, phones of both shapes, references, descriptions and unknown members", async () => {
    for (const one of ORDERS) await expectOrderPassed(JSON.stringify(one));
    for (const body of BODIES) await expectOrderPassed(body);
  });

  test("every way to write the content type", async () => {
    for (const type of TYPES) await expectOrderPassed(JSON.stringify(order), type);
  });

  test("the status of a payment in each state, and an unknown id", async () => {
    const post = (id: unknown) => ({
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ checkout_request_id: id, more: 1 }),
    });
    await sandbox.control("POST", "/clock", { freeze: true });
    for (const outcome of ["manual", "completed", "insufficient_funds", "cancelled", "expired"]) {
      await sandbox.control("PUT", "/rules", [{ outcome }]);
      const id = await sandbox.pay();
      expect(await expectPassed("/status.php", post(id))).toMatchObject({ status: "pending" });
      await sandbox.control("POST", "/clock", { advance: "60s" });
      expect((await expectPassed("/status.php", post(id))).status).not.toBe("pending");
    }
    for (const id of ["nobody's", "x".repeat(100)]) await expectPassed("/status.php", post(id));
  });

  test("every filter, in any letter case", async () => {
    for (const query of QUERIES) await expectPassed(`/transactions.php?${query}`);
  });

  test("the proxy does validate: it refuses the shapes that momo refuses", async () => {
    for (const query of ["limit=101", "page=0", "status=paid", "type=ap", "date_from=today", "id=x"]) {
      const answer = await fetch(`${proxy}/transactions.php?${query}`, { headers: sandbox.headers });
      expect({ query, text: await answer.text() }).toMatchObject({ text: expect.stringContaining("prism/errors") });
    }
    for (const [member, value] of [
      ["amount", 0.99],
      ["phone", "+254712345678"],
      ["payment_account_id", "1"],
    ] as const) {
      const answer = await fetch(`${proxy}/stkpush.php`, {
        method: "POST",
        headers: { ...sandbox.headers, "Content-Type": "application/json" },
        body: JSON.stringify({ ...order, [member]: value }),
      });
      expect({ member, text: await answer.text() }).toMatchObject({ text: expect.stringContaining("prism/errors") });
    }
    const answer = await fetch(`${proxy}/transactions.php`, { headers: { "X-API-Key": "mk_1" } });
    expect(await answer.text()).toContain("prism/errors");
  });
}
