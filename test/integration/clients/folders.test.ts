import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRoot, mountSmall, whyNoMount } from "../../crash/trial.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { describeWith } from "../../support/needs.ts";
import { TEST_TIMEOUT_MS } from "../../support/waiting.ts";
import { CHECKOUT_ID, FILE, json, PAID, PAYMENT, PROGRAMS, runIn, serveService } from "./programs.ts";

/** The folder of the orders: what the clients do with one that is wrong. */

/** Root may read everything, but not without these capabilities. */
const AS_USER = isRoot() ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];

function fill(folder: string): void {
  expect(() => writeFileSync(join(folder, "other"), Buffer.alloc(8 << 20))).toThrow("ENOSPC");
}

afterAll(cleanUp);

for (const { name, needs, command } of PROGRAMS) {
  const run = (baseUrl: string, orders: string, ...args: readonly string[]) => runIn(command, baseUrl, orders, ...args);

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
      ["a file of another program", (path: string) => writeFileSync(path, '{"name": "package"}')],
      ["an array", (path: string) => writeFileSync(path, "[1]")],
    ])(
      "never pushes again where an order is %s",
      async (_, spoil) => {
        const { baseUrl, pushes } = serveService();
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        spoil(join(orders, FILE));
        const { error } = await run(baseUrl, orders, "pay", ...PAYMENT);
        expect(["store", "usage"]).toContain(error?.code ?? "");
        expect(error?.message).toContain("order-0001");
        expect(error?.message).not.toContain("undefined");
        expect((await run(baseUrl, orders, "start", "ORDER-0002", "0712345678", "100")).status).toBe("pending");
        expect(pushes()).toBe(2);
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "leaves the files of other programs alone, and no reference leaves the folder",
      async () => {
        const { baseUrl } = serveService();
        const orders = join(newFolder(), "orders");
        await run(baseUrl, orders, "start", "../../x", "0712345678", "100");
        writeFileSync(join(orders, "notes.txt"), "mine");
        writeFileSync(join(orders, "package.json"), "{}");
        expect((await run(baseUrl, orders, "open")).result).toMatchObject([{ reference: "../../x" }]);
        const own = `${Buffer.from("../../x").toString("hex")}.json`;
        expect(readdirSync(orders).sort()).toEqual([own, "notes.txt", "package.json"].sort());
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "says that the orders cannot be stored, and pushes nothing",
      async () => {
        const { baseUrl, pushes } = serveService();
        const file = join(newFolder(), "file");
        writeFileSync(file, "");
        for (const orders of [file, join(file, "orders")]) {
          const { error, exitCode } = await run(baseUrl, orders, "pay", ...PAYMENT);
          expect({ code: error?.code, exitCode, paid: error?.may_have_paid }).toEqual({
            code: "store",
            exitCode: 1,
            paid: false,
          });
        }
        expect(pushes()).toBe(0);
      },
      TEST_TIMEOUT_MS,
    );

    test.skipIf(process.platform !== "linux")(
      "says that the orders cannot be read, and pushes nothing",
      async () => {
        const { baseUrl, pushes, looks } = serveService();
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        for (const mode of [0o000, 0o600, 0o300]) {
          chmodSync(orders, mode);
          for (const call of [["pay", ...PAYMENT], ["ask", "ORDER-0001"], ["open"]]) {
            if (mode === 0o300 && call[0] !== "open") continue; // a file can be read by its name
            const { error, exitCode } = await runIn([...AS_USER, ...command], baseUrl, orders, ...call);
            expect({ mode, call, code: error?.code, exitCode }).toEqual({ mode, call, code: "store", exitCode: 1 });
          }
        }
        chmodSync(orders, 0o700);
        expect([pushes(), looks()]).toEqual([1, 0]);
      },
      TEST_TIMEOUT_MS,
    );

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
          rows: [{ id: 1, amount: 100, phone: "254712345678", checkout_request_id: CHECKOUT_ID, ...PAID }],
        });
        fill(orders);
        const first = await run(baseUrl, orders, "start", ...PAYMENT);
        expect(first).toMatchObject({ error: { code: "store", may_have_paid: false }, exitCode: 1 });
        expect(pushes()).toBe(0);
        rmSync(join(orders, "other"));
        const second = await run(baseUrl, orders, "start", ...PAYMENT);
        expect(second).toMatchObject({ error: { code: "store", may_have_paid: true }, exitCode: 1 });
        expect(second.error?.message).toContain("the customer may have paid");
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).error).toMatchObject({ may_have_paid: true });
        rmSync(join(orders, "other"));
        expect(readdirSync(orders)).toEqual([FILE]);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
        expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("completed");
        expect(pushes()).toBe(1);
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "says that the customer may have paid, if the disk fails after the push",
      async () => {
        const orders = join(newFolder(), "orders");
        const { baseUrl } = serveService({
          push: () => {
            renameSync(orders, `${orders}-gone`);
            writeFileSync(orders, "");
            return json({ checkout_request_id: CHECKOUT_ID });
          },
        });
        const { error, exitCode } = await run(baseUrl, orders, "pay", ...PAYMENT);
        expect(error).toMatchObject({ code: "store", may_have_paid: true });
        expect(exitCode).toBe(1);
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "says that the customer may have paid, if the folder is removed during the push",
      async () => {
        const orders = newFolder();
        const { baseUrl } = serveService({
          push: () => {
            rmSync(orders, { recursive: true });
            return json({ checkout_request_id: CHECKOUT_ID });
          },
        });
        const { error, exitCode } = await run(baseUrl, orders, "pay", ...PAYMENT);
        expect(error).toMatchObject({ code: "store", may_have_paid: true });
        expect(exitCode).toBe(1);
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "writes an order again whose file is removed during the push",
      async () => {
        const orders = newFolder();
        const { baseUrl } = serveService({
          push: () => {
            rmSync(join(orders, FILE));
            return json({ checkout_request_id: CHECKOUT_ID });
          },
        });
        expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("pending");
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("pending");
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "takes an empty MOMO_ORDERS for none",
      async () => {
        const cwd = newFolder();
        await runIn(command, serveService().baseUrl, "", "start", ...PAYMENT, { cwd });
        expect(readdirSync(join(cwd, "momo-orders"))).toEqual([FILE]);
      },
      TEST_TIMEOUT_MS,
    );
  });
}
