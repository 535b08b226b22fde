import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith, testWith } from "../../support/needs.ts";
import {
  CHECKOUT_ID,
  CLIENTS,
  ENDED_FILE,
  environmentOf,
  FILE,
  json,
  PAID,
  PAYMENT,
  PENDING_FILE,
  PROGRAMS,
  PYTHON,
  processesOf,
  runnerOf,
  runWith,
  serveService,
} from "./programs.ts";

/** Orders: what the clients say of them, from the start to the end. */

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs, caller } = program;
  const run = runnerOf(program);
  const runAlone = processesOf(program);

  describeWith(needs, `the client in ${name}`, () => {
    test("knows an order from its start to its end, with the reason", async () => {
      let isPaid = false;
      const { baseUrl, pushes, looks, orders } = serveService({
        status: () => json(isPaid ? PAID : { status: "pending" }),
      });
      const start = await runAlone(baseUrl, orders, "start", ...PAYMENT);
      expect(start).toMatchObject({ status: "pending", may_have_paid: true });
      expect((await runAlone(`${baseUrl}/`, orders, "ask", "order-0001")).status).toBe("pending");
      expect(looks()).toBe(1);
      const { result } = await runAlone(baseUrl, orders, "open");
      expect(result).toMatchObject([{ reference: "ORDER-0001", checkout_request_id: CHECKOUT_ID }]);
      isPaid = true;
      const ended = await runAlone(baseUrl, orders, "ask", "ORDER-0001");
      const { momo_receipt_number: receipt, ...rest } = PAID;
      expect(ended).toMatchObject({ ...rest, receipt, may_have_paid: false });
      expect(ended).not.toHaveProperty("reason");
      expect((await runAlone(baseUrl, orders, "open")).result).toEqual([]);
      expect((await runAlone(baseUrl, orders, "pay", ...PAYMENT)).status).toBe("completed");
      expect(pushes()).toBe(1);
    });

    test.each([
      ["100", 100],
      ["100.00", 100],
      ["100.5", 100.5],
      ["250000.25", 250000.25],
      ["0", null],
      ["100.005", null],
      ["1e3", null],
      ["-5", null],
      ["", null],
      ["\u0661\u0660\u0660", null],
    ])("takes the amount %p as %p", async (amount, taken) => {
      const [reference = "", phone = ""] = PAYMENT;
      const said = await run(serveService().baseUrl, newFolder(), "start", reference, phone, amount);
      if (taken === null) expect(said).toMatchObject({ error: { code: "usage", may_have_paid: false } });
      else expect(said).toMatchObject({ amount: taken, status: "pending" });
    });

    test("learns at once that the network has refused", async () => {
      const message = "STK push initiation failed: the network refuses";
      const { baseUrl, looks } = serveService({ push: () => json({ message }, 500) });
      const said = await run(baseUrl, newFolder(), "pay", ...PAYMENT);
      expect(said).toMatchObject({ status: "not_started", result_desc: message, may_have_paid: false });
      expect(looks()).toBe(0);
    });

    test("refuses another amount and another phone for an order", async () => {
      const { baseUrl, pushes, orders } = serveService();
      await run(baseUrl, orders, "start", ...PAYMENT);
      const others = [
        ["0712345678", "200"],
        ["0712345679", "100"],
      ];
      for (const [phone = "", amount = ""] of others) {
        const { error } = await run(baseUrl, orders, "start", "order-0001", phone, amount);
        // Something was pushed with this reference.
        expect(error).toMatchObject({ code: "usage", may_have_paid: true });
        expect(error?.message).toContain("already an order of another phone or amount");
      }
      const pasted = ["ORDER-0001", "+254 712\u00a0345678\n", "100.0"];
      expect((await run(baseUrl, orders, "start", ...pasted)).status).toBe("pending");
      expect(pushes()).toBe(1);
    });

    test("pushes a refused order again, because nothing was pushed", async () => {
      let status = 400;
      const { baseUrl, pushes, orders } = serveService({
        push: () => json({ message: "no such account", checkout_request_id: CHECKOUT_ID }, status),
      });
      const { error } = await run(baseUrl, orders, "start", ...PAYMENT);
      expect(error).toEqual({ code: "refused", message: "no such account", may_have_paid: false });
      status = 200;
      expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("pending");
      expect(pushes()).toBe(2);
    });

    test("refuses the order of another service", async () => {
      const orders = newFolder();
      const first = serveService().baseUrl;
      const second = serveService();
      await run(first, orders, "start", ...PAYMENT);
      const [its, own] = [`${first}, account 1`, `${second.baseUrl}, account 1`];
      const refusal = `order-0001 is an order of ${its}, not of ${own}: use another folder`;
      for (const call of [["start", ...PAYMENT], ["ask", "ORDER-0001"], ["open"]]) {
        const { error } = await run(second.baseUrl, orders, ...call);
        expect(error).toMatchObject({ code: "usage", message: refusal });
      }
      expect(second.pushes()).toBe(0);
    });

    test("goes on with an order with another key of its account, and refuses it for another account", async () => {
      const { baseUrl, pushes, orders } = serveService();
      await run(baseUrl, orders, "start", ...PAYMENT);
      const runChanged = (changes: object, ...call: readonly string[]) =>
        runWith(caller, { ...environmentOf(baseUrl, orders), ...changes }, ...call);
      const rotated = await runChanged({ MOMO_API_KEY: "c", MOMO_API_SECRET: "d" }, "ask", "ORDER-0001");
      expect(rotated.status).toBe("pending");
      const refusal = `order-0001 is an order of ${baseUrl}, account 1, not of ${baseUrl}, account 2: use another folder`;
      for (const call of [
        ["start", ...PAYMENT],
        ["ask", "ORDER-0001"],
      ]) {
        const { error } = await runChanged({ MOMO_PAYMENT_ACCOUNT_ID: "2" }, ...call);
        expect([error?.code, error?.message]).toEqual(["usage", refusal]);
      }
      expect(pushes()).toBe(1);
    });

    test("answers for an order that has ended from its file, so that a cron books what a crash has left", async () => {
      const { baseUrl, looks, orders } = serveService({ status: () => json(PAID) });
      await run(baseUrl, orders, "start", ...PAYMENT);
      const first = await run(baseUrl, orders, "ask", "ORDER-0001");
      expect(first).toMatchObject({ status: "completed", receipt: PAID.momo_receipt_number });
      expect(await run(baseUrl, orders, "ask", "ORDER-0001")).toEqual(first);
      expect(looks()).toBe(1);
    });

    test("gives an order as it is stored, without a question to the service", async () => {
      const { baseUrl, looks } = serveService({ status: () => json(PAID) });
      const orders = newFolder();
      expect((await run(baseUrl, orders, "stored", "ORDER-0001")).result).toBeNull();
      await run(baseUrl, orders, "start", ...PAYMENT);
      const pending = { status: "pending", may_have_paid: true, checkout_request_id: CHECKOUT_ID };
      expect(await run(baseUrl, orders, "stored", "order-0001")).toMatchObject(pending);
      expect(looks()).toBe(0);
      const ended = await run(baseUrl, orders, "ask", "ORDER-0001");
      expect(ended.status).toBe("completed");
      expect(await run(baseUrl, orders, "stored", "ORDER-0001")).toEqual(ended);
      const { error } = await run(serveService().baseUrl, orders, "stored", "ORDER-0001");
      expect(error).toMatchObject({ code: "usage" });
    });

    test("waits for its deadline while the clock goes back", async () => {
      const runBack = runnerOf(program, { deadline: 3, nowMs: 1e12 });
      const { result } = await runBack(serveService().baseUrl, newFolder(), "pay", ...PAYMENT);
      expect(result).toMatchObject({ status: "pending", slept: 3 });
    });
  });
}

describeWith(["python3"], "an amount that is a decimal number of Python", () => {
  test("is taken as it is, and one with three decimals is refused", async () => {
    const { baseUrl, pushes } = serveService();
    const start = `import sys; sys.path.insert(0, "${CLIENTS}"); from client import Client, FileStore, MomoError
from decimal import Decimal
momo = Client("${baseUrl}", "a", "b", 1, FileStore("${newFolder()}"))
print(momo.start("ORDER-0001", "0712345678", Decimal("100.50"))["amount"])
try:
    momo.start("ORDER-0002", "0712345678", Decimal("100.505"))
except MomoError as error:
    print(error.kind)`;
    const { stdout, stderr } = await runToEnd([...PYTHON, "-c", start]);
    expect({ stdout, stderr }).toEqual({ stdout: "100.5\nusage\n", stderr: "" });
    expect(pushes()).toBe(1);
  });
});

describeWith(["node", "python3", "php", "php curl"], "the clients in all languages", () => {
  test("write the same values, and go on with the orders of each other", async () => {
    const { baseUrl, pushes } = serveService({ status: () => json(PAID) });
    const files: string[] = [];
    const read = (orders: string) =>
      [FILE, PENDING_FILE, ENDED_FILE]
        .filter((file) => existsSync(join(orders, file)))
        .map((file) => JSON.stringify(JSON.parse(readFileSync(join(orders, file), "utf8"))))
        .join("\n")
        .replaceAll(/~[0-9a-f]{12}"/g, '~"');
    for (const [index, program] of PROGRAMS.entries()) {
      const orders = newFolder();
      const next = PROGRAMS[(index + 1) % PROGRAMS.length] ?? program;
      await processesOf(program)(baseUrl, orders, "start", "ORDER-0001", "0712345678", "100.50");
      const started = read(orders);
      expect(await processesOf(next)(baseUrl, orders, "ask", "ORDER-0001")).toMatchObject({ status: "completed" });
      files.push(`${started}\n${read(orders)}`);
    }
    expect(new Set(files).size, files.join("\n")).toBe(1);
    // Two files after the start, and these and a third at the end.
    expect(files[0]?.match(/~"/g)).toHaveLength(5);
    expect(pushes()).toBe(3);
  });
});

describe("a reference that is missing is refused, and starts no order of the name undefined or None", () => {
  const javascript = (baseUrl: string) => `import { createClient, fileStore } from "${CLIENTS}/client.mjs";
const store = fileStore("${newFolder()}");
const momo = createClient({ baseUrl: "${baseUrl}", apiKey: "a", apiSecret: "b", paymentAccountId: 1, store });
await momo.start(undefined, "0712345678", 100).catch(({ kind }) => console.log(kind));`;
  const python = (baseUrl: string) => `import sys; sys.path.insert(0, "${CLIENTS}"); import client
momo = client.Client("${baseUrl}", "a", "b", 1, client.FileStore("${newFolder()}"))
try:
    momo.start(None, "0712345678", 100)
except client.MomoError as error:
    print(error.kind)`;

  testWith(["node"], "JavaScript", async () => {
    const { baseUrl, pushes } = serveService();
    const run = await runToEnd(["node", "--input-type=module", "-e", javascript(baseUrl)]);
    expect([run.stdout, run.stderr, pushes()]).toEqual(["usage\n", "", 0]);
  });
  testWith(["python3"], "Python", async () => {
    const { baseUrl, pushes } = serveService();
    const run = await runToEnd([...PYTHON, "-c", python(baseUrl)]);
    expect([run.stdout, run.stderr, pushes()]).toEqual(["usage\n", "", 0]);
  });
});
