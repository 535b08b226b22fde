import { afterAll, expect, test } from "bun:test";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { mountSmall, whyNoMount } from "../../crash/trial.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { describeWith } from "../../support/needs.ts";
import {
  CHECKOUT_ID,
  FILE,
  fileOf,
  json,
  LOST,
  OWN_ROW,
  PAID,
  PAYMENT,
  PENDING_FILE,
  PROGRAMS,
  runnerOf,
  serveService,
} from "./programs.ts";

/** The folder of the orders: what the clients do with one that is wrong. */

function fill(folder: string): void {
  expect(() => writeFileSync(join(folder, "other"), Buffer.alloc(8 << 20))).toThrow("ENOSPC");
}

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs } = program;
  const run = runnerOf(program);

  describeWith(needs, `the client in ${name}`, () => {
    test.each([
      ["cut off in the middle", (path: string) => writeFileSync(path, readFileSync(path, "utf8").slice(0, 40))],
      ["empty", (path: string) => writeFileSync(path, "")],
      [
        "a folder",
        (path: string) => {
          rmSync(path);
          mkdirSync(path);
        },
      ],
      [
        "a link to itself",
        (path: string) => {
          rmSync(path);
          symlinkSync(path, path);
        },
      ],
      ["a file of another program", (path: string) => writeFileSync(path, '{"name": "package"}')],
      ["an array", (path: string) => writeFileSync(path, "[1]")],
      ["null", (path: string) => writeFileSync(path, "null")],
      ["an empty object", (path: string) => writeFileSync(path, "{}")],
    ])("never pushes again where an order is %s", async (_, spoil) => {
      const { baseUrl, pushes, orders } = serveService();
      await run(baseUrl, orders, "start", ...PAYMENT);
      for (const file of [FILE, PENDING_FILE]) spoil(join(orders, file));
      const { error } = await run(baseUrl, orders, "pay", ...PAYMENT);
      expect(["store", "usage"]).toContain(error?.code ?? "");
      expect(error?.message).toContain("order-0001");
      expect(error?.message).not.toContain("undefined");
      expect((await run(baseUrl, orders, "start", "ORDER-0002", "0712345678", "100")).status).toBe("pending");
      expect(pushes()).toBe(2);
      expect((await run(baseUrl, orders, "open")).error?.message).toContain("order-0001");
    });

    test("leaves the files of other programs alone, and no reference leaves the folder", async () => {
      const { baseUrl } = serveService();
      const orders = join(newFolder(), "orders");
      await run(baseUrl, orders, "start", "../../x", "0712345678", "100");
      writeFileSync(join(orders, "notes.txt"), "mine");
      writeFileSync(join(orders, "package.json"), "{}");
      expect((await run(baseUrl, orders, "open")).result).toMatchObject([{ reference: "../../x" }]);
      const own = [fileOf("../../x"), fileOf("../../x~pending")];
      expect(readdirSync(orders).sort()).toEqual([...own, "notes.txt", "package.json"].sort());
    });

    test.skipIf(process.platform === "win32")(
      "keeps the phones of customers from other users of the machine",
      async () => {
        const orders = join(newFolder(), "orders");
        await run(serveService().baseUrl, orders, "start", ...PAYMENT);
        expect(statSync(orders).mode & 0o777).toBe(0o700);
        for (const file of readdirSync(orders)) expect(statSync(join(orders, file)).mode & 0o777).toBe(0o600);
      },
    );

    test("lists nothing in a folder that does not exist, and knows no order there", async () => {
      const { baseUrl } = serveService();
      const missing = () => join(newFolder(), "a/b");
      expect((await run(baseUrl, missing(), "open")).result).toEqual([]);
      expect(await run(baseUrl, missing(), "ask", "ORDER-0001")).toMatchObject({
        error: {
          code: "not_found",
          message: "order-0001 has not been started with this folder",
          may_have_paid: true,
        },
      });
    });

    test.skipIf(whyNoMount() !== "")(
      "pushes nothing on a full disk, and goes on with its order when there is room",
      async () => {
        const orders = newFolder();
        mountSmall(orders, 1);
        const { baseUrl, pushes } = serveService({
          push: () => {
            fill(orders);
            return json({ checkout_request_id: CHECKOUT_ID });
          },
          row: { id: 1, amount: 100, phone: "254712345678", checkout_request_id: CHECKOUT_ID, ...PAID },
        });
        fill(orders);
        const first = await run(baseUrl, orders, "start", ...PAYMENT);
        expect(first).toMatchObject({ error: { code: "store", may_have_paid: false } });
        expect(pushes()).toBe(0);
        rmSync(join(orders, "other"));
        const second = await run(baseUrl, orders, "start", ...PAYMENT);
        expect(second).toMatchObject({ error: { code: "store", may_have_paid: true } });
        expect(second.error?.message).toContain("the customer may have paid");
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).error).toMatchObject({ may_have_paid: true });
        rmSync(join(orders, "other"));
        expect(readdirSync(orders)).toEqual([FILE]);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
        expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("completed");
        expect(pushes()).toBe(1);
      },
    );

    test("says that the customer may have paid, if the disk fails after the push", async () => {
      const orders = join(newFolder(), "orders");
      const { baseUrl } = serveService({
        push: () => {
          renameSync(orders, `${orders}-gone`);
          writeFileSync(orders, "");
          return json({ checkout_request_id: CHECKOUT_ID });
        },
      });
      const { error } = await run(baseUrl, orders, "pay", ...PAYMENT);
      expect(error).toMatchObject({ code: "store", may_have_paid: true });
    });

    test.each([
      ["file", (orders: string) => rmSync(join(orders, FILE))],
      ["folder", (orders: string) => rmSync(orders, { recursive: true })],
    ])("writes an order again whose %s is removed during the push", async (_, remove) => {
      const orders = newFolder();
      const { baseUrl, pushes } = serveService({
        push: () => {
          remove(orders);
          return json({ checkout_request_id: CHECKOUT_ID });
        },
      });
      expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("pending");
      expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("pending");
      expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("pending");
      expect(pushes()).toBe(1);
    });

    test.each(["{}", '{"clocks":[]}'])("goes on with an order whose count of looks is %s", async (text) => {
      const { baseUrl, orders } = serveService({ push: LOST });
      await run(baseUrl, orders, "start", ...PAYMENT);
      const { service_reference: reference } = JSON.parse(readFileSync(join(orders, FILE), "utf8"));
      writeFileSync(join(orders, fileOf(`${reference}~asked`)), text);
      for (let look = 0; look < 2; look += 1)
        expect(await run(baseUrl, orders, "ask", "ORDER-0001")).toMatchObject({
          status: "unknown",
          may_have_paid: true,
        });
    });

    test("names an order whose count of looks is damaged", async () => {
      const { baseUrl, orders } = serveService({ push: LOST });
      await run(baseUrl, orders, "start", ...PAYMENT);
      const { service_reference: reference } = JSON.parse(readFileSync(join(orders, FILE), "utf8"));
      writeFileSync(join(orders, fileOf(`${reference}~asked`)), '{"clocks":5}');
      const { error } = await run(baseUrl, orders, "ask", "ORDER-0001");
      expect(error).toMatchObject({ code: "store", may_have_paid: true });
      expect(error?.message).toContain("order-0001 cannot be read");
    });

    test.each(["reference", "service_reference", "phone", "amount", "status"])(
      "names an order whose %s is missing",
      async (part) => {
        const { baseUrl, orders, pushes } = serveService({ push: LOST });
        await run(baseUrl, orders, "start", ...PAYMENT);
        const order = JSON.parse(readFileSync(join(orders, FILE), "utf8"));
        writeFileSync(join(orders, FILE), JSON.stringify({ ...order, [part]: undefined }));
        for (const call of [["start", ...PAYMENT], ["ask", "ORDER-0001"], ["open"]]) {
          const { error } = await run(baseUrl, orders, ...call);
          expect(error).toMatchObject({ code: "store", message: `order-0001 cannot be read: it has no ${part}` });
        }
        expect(pushes()).toBe(1);
      },
    );

    test("goes on with an order whose checkout_request_id is missing", async () => {
      const { baseUrl, orders } = serveService({ push: LOST, row: OWN_ROW });
      await run(baseUrl, orders, "start", ...PAYMENT);
      const { checkout_request_id: _, ...order } = JSON.parse(readFileSync(join(orders, FILE), "utf8"));
      writeFileSync(join(orders, FILE), JSON.stringify(order));
      const paid = { status: "completed", checkout_request_id: CHECKOUT_ID };
      expect(await run(baseUrl, orders, "ask", "ORDER-0001")).toMatchObject(paid);
    });

    test("lists an open order that is stored without may_have_paid", async () => {
      const { baseUrl, orders } = serveService();
      await run(baseUrl, orders, "start", ...PAYMENT);
      const { may_have_paid: _, ...order } = JSON.parse(readFileSync(join(orders, PENDING_FILE), "utf8"));
      writeFileSync(join(orders, PENDING_FILE), JSON.stringify(order));
      expect((await run(baseUrl, orders, "open")).result).toMatchObject([{ status: "pending", may_have_paid: true }]);
    });

    test("refuses by name an order that an earlier version has stored", async () => {
      const { baseUrl, pushes, orders } = serveService();
      const old = { service: baseUrl, reference: "ORDER-0001", pushed_as: "ORDER-0001~0", phone: "254712345678" };
      writeFileSync(join(orders, FILE), JSON.stringify({ ...old, amount: 100, status: "pending" }));
      for (const call of [
        ["start", ...PAYMENT],
        ["ask", "ORDER-0001"],
      ]) {
        const { error } = await run(baseUrl, orders, ...call);
        expect({ code: error?.code, message: error?.message }).toEqual({
          code: "usage",
          message: `order-0001 is an order of ${baseUrl}, not of ${baseUrl}, account 1: use another folder`,
        });
      }
      expect(pushes()).toBe(0);
    });
  });
}
