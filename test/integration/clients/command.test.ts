import { afterAll, expect, test } from "bun:test";
import { copyFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";
import { TEST_TIMEOUT_MS } from "../../support/waiting.ts";
import { environmentOf, json, PAID, PAYMENT, PROGRAMS, processesOf, serveService } from "./programs.ts";

/** The clients as commands. */

const REFUSED = () => json({ message: "STK push initiation failed" }, 500);

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs, command } = program;
  const run = processesOf(program);
  const interpreter = command.slice(0, -1);
  const file = command.at(-1) ?? "";
  const pay = (path: string, env: Readonly<Record<string, string>>) =>
    runToEnd([...interpreter, path, "pay", ...PAYMENT], { env });

  describeWith(needs, `the client in ${name}, as a command`, () => {
    test(
      "prints the order that the network refused, and its exit code says so, also through a link",
      async () => {
        const link = join(newFolder(), basename(file));
        symlinkSync(file, link);
        for (const path of [file, link]) {
          const env = environmentOf(serveService({ push: REFUSED }).baseUrl, newFolder());
          const { stdout, stderr, exitCode } = await pay(path, env);
          expect(JSON.parse(stdout)).toMatchObject({ reference: "ORDER-0001", status: "not_started" });
          expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 5 });
        }
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "goes on with an order in a folder beside its own file, if MOMO_ORDERS is empty",
      async () => {
        const copy = join(newFolder(), basename(file));
        copyFileSync(file, copy);
        const orders = join(dirname(copy), "momo-orders");
        const { baseUrl, pushes } = serveService({ status: () => json(PAID) });
        await run(baseUrl, orders, "start", ...PAYMENT);
        await run(baseUrl, orders, "ask", "ORDER-0001");
        const { stdout, exitCode } = await pay(copy, environmentOf(baseUrl, ""));
        expect(JSON.parse(stdout)).toMatchObject({ status: "completed", receipt: PAID.momo_receipt_number });
        expect([exitCode, pushes()]).toEqual([0, 1]);
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "names a variable that is missing",
      async () => {
        const { stdout, stderr, exitCode } = await pay(file, {});
        expect(stdout + stderr).toContain("(MOMO_BASE_URL) must be such as https:");
        expect(exitCode).not.toBe(0);
      },
      TEST_TIMEOUT_MS,
    );
  });
}
