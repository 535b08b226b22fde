import { afterAll, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRoot } from "../../crash/trial.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { describeWith } from "../../support/needs.ts";
import { json, LOST, PAYMENT, PROGRAMS, processesOf, runnerOf, serveService, storeNotFound } from "./programs.ts";

/** Folders of orders that the clients cannot use: they say so, and push nothing. */

/** Root may read everything, but not without these capabilities. */
const AS_USER = isRoot() ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs, caller } = program;
  const run = runnerOf(program);
  const runAsUser = processesOf({ caller: [...AS_USER, ...caller] });

  describeWith(needs, `the client in ${name}`, () => {
    test("says that the folder of the orders is a file, or in a file, and pushes nothing", async () => {
      const { baseUrl, pushes } = serveService();
      const file = join(newFolder(), "file");
      writeFileSync(file, "");
      for (const orders of [file, join(file, "orders")]) {
        const { error } = await run(baseUrl, orders, "pay", ...PAYMENT);
        // An earlier process can have pushed, when it was a folder.
        expect(error).toMatchObject({ code: "store", may_have_paid: true });
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).error).toMatchObject({ code: "store" });
        expect((await run(baseUrl, orders, "open")).error).toMatchObject({ code: "store" });
      }
      expect(pushes()).toBe(0);
    });

    test.skipIf(process.platform !== "linux")("says that the orders cannot be read, and pushes nothing", async () => {
      const { baseUrl, pushes, looks, orders } = serveService();
      await run(baseUrl, orders, "start", ...PAYMENT);
      for (const mode of [0o000, 0o600, 0o300]) {
        chmodSync(orders, mode);
        for (const call of [["pay", ...PAYMENT], ["ask", "ORDER-0001"], ["open"]]) {
          if (mode === 0o300 && call[0] !== "open") continue; // a file can be read by its name
          const { error } = await runAsUser(baseUrl, orders, ...call);
          expect({ mode, call, code: error?.code }).toEqual({ mode, call, code: "store" });
          expect(error?.message).toContain("cannot be read or stored");
        }
      }
      chmodSync(orders, 0o700);
      expect([pushes(), looks()]).toEqual([1, 0]);
    });

    test.skipIf(process.platform !== "linux")(
      "names a folder that cannot be reached, because its parent cannot be read, and pushes nothing",
      async () => {
        const { baseUrl, pushes, looks } = serveService();
        const parent = newFolder();
        const orders = join(parent, "orders");
        await run(baseUrl, orders, "start", ...PAYMENT);
        for (const mode of [0o000, 0o600]) {
          chmodSync(parent, mode);
          for (const call of [["start", ...PAYMENT], ["ask", "ORDER-0001"], ["find", ...PAYMENT], ["open"]]) {
            const { error } = await runAsUser(baseUrl, orders, ...call);
            expect({ mode, call, code: error?.code }).toEqual({ mode, call, code: "store" });
            expect(error?.message).toContain(orders);
          }
        }
        chmodSync(parent, 0o700);
        expect([pushes(), looks()]).toEqual([1, 6]);
      },
    );

    test.skipIf(process.platform !== "linux").each([
      ["loses the answer to", LOST, true],
      ["refuses", () => json({ message: "no" }, 400), false],
    ])("says that the orders cannot be changed, if the service %s a push", async (_, answer, mayHavePaid) => {
      const { baseUrl, orders } = serveService({
        push() {
          storeNotFound(orders, 600_000);
          chmodSync(orders, 0o500);
          return answer();
        },
      });
      const { error } = await runAsUser(baseUrl, orders, "start", ...PAYMENT);
      chmodSync(orders, 0o700);
      expect(error).toMatchObject({ code: "store", may_have_paid: mayHavePaid });
    });

    test("refuses a relative folder", async () => {
      const { baseUrl, pushes } = serveService();
      for (const relative of ["", "orders", "./orders", "../orders"]) {
        const { error } = await run(baseUrl, relative, "start", ...PAYMENT);
        expect(error).toMatchObject({ code: "usage", may_have_paid: false });
        expect(error?.message).toMatch(/folder of the orders must be an absolute path/);
        expect(error?.message).toContain(relative);
      }
      expect(pushes()).toBe(0);
    });
  });
}

describeWith(["php", "php curl"], "the client in PHP", () => {
  const { caller } = PROGRAMS.find(({ name }) => name === "PHP") as (typeof PROGRAMS)[number];
  const [, ...words] = caller;

  test.skipIf(process.platform !== "linux")("says why no order can be stored", async () => {
    const { baseUrl, orders } = serveService();
    chmodSync(orders, 0o500);
    const { error } = await processesOf({ caller: [...AS_USER, ...caller] })(baseUrl, orders, "start", ...PAYMENT);
    chmodSync(orders, 0o700);
    expect(error?.message).toContain("created in the system's temporary directory");
  });

  test.skipIf(process.platform !== "linux")(
    "pushes nothing that it cannot store, if no warning is reported",
    async () => {
      const silent = processesOf({ caller: [...AS_USER, "php", "-d", "error_reporting=0", ...words] });
      const { baseUrl, pushes, orders } = serveService();
      chmodSync(orders, 0o500);
      const { error } = await silent(baseUrl, orders, "start", ...PAYMENT);
      chmodSync(orders, 0o700);
      expect(error).toMatchObject({ code: "store", may_have_paid: false });
      expect(pushes()).toBe(0);
    },
  );
});
