import { afterAll, expect, test } from "bun:test";
import { copyFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";
import { environmentOf, json, PAID, PAYMENT, PROGRAMS, processesOf, runCommand, serveService } from "./programs.ts";

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
    test("prints the order that the network refused, and its exit code says so, also through a link", async () => {
      const link = join(newFolder(), basename(file));
      symlinkSync(file, link);
      for (const path of [file, link]) {
        const env = environmentOf(serveService({ push: REFUSED }).baseUrl, newFolder());
        const { stdout, stderr, exitCode } = await pay(path, env);
        expect(JSON.parse(stdout)).toMatchObject({ reference: "ORDER-0001", status: "not_started" });
        expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 5 });
      }
    });

    test("goes on with an order in a folder beside its own file, if MOMO_ORDERS is empty", async () => {
      const copy = join(newFolder(), basename(file));
      copyFileSync(file, copy);
      const orders = join(dirname(copy), "momo-orders");
      const { baseUrl, pushes } = serveService({ status: () => json(PAID) });
      await run(baseUrl, orders, "start", ...PAYMENT);
      await run(baseUrl, orders, "ask", "ORDER-0001");
      const { stdout, exitCode } = await pay(copy, environmentOf(baseUrl, ""));
      expect(JSON.parse(stdout)).toMatchObject({ status: "completed", receipt: PAID.momo_receipt_number });
      expect([exitCode, pushes()]).toEqual([0, 1]);
    });

    test("names a variable that is missing", async () => {
      const { error, exitCode } = await runCommand(command, {}, "pay", ...PAYMENT);
      expect(error).toMatchObject({ code: "usage", may_have_paid: false });
      expect(error?.message).toContain("(MOMO_BASE_URL) must be such as https:");
      expect(exitCode).toBe(2);
    });

    test("starts, asks for, waits for, finds and lists orders, with the exit code of each", async () => {
      let isPaid = false;
      const { baseUrl } = serveService({
        status: () => json(isPaid ? PAID : { status: "pending" }),
        list: () => json({ transactions: [] }),
      });
      const env = environmentOf(baseUrl, newFolder());
      expect(await runCommand(command, env, "start", ...PAYMENT)).toMatchObject({ status: "pending", exitCode: 13 });
      expect(await runCommand(command, env, "ask", "order-0001")).toMatchObject({ status: "pending", exitCode: 13 });
      const { result, exitCode } = await runCommand(command, env, "open");
      expect({ result, exitCode }).toMatchObject({ result: [{ reference: "ORDER-0001" }], exitCode: 0 });
      isPaid = true;
      expect(await runCommand(command, env, "wait", "ORDER-0001")).toMatchObject({
        status: "completed",
        exitCode: 0,
      });
      expect(await runCommand(command, env, "open")).toMatchObject({ result: [], exitCode: 0 });
      expect(await runCommand(command, env, "find", ...PAYMENT)).toMatchObject({ result: null, exitCode: 3 });
    });

    test.each([
      ["a wrong phone", ["pay", "ORDER-0001", "07123", "100"], "usage", 2, false],
      ["no command", [], "usage", 2, false],
      ["a command that does not exist", ["refund", "ORDER-0001"], "usage", 2, false],
      ["an argument that is missing", ["pay", "ORDER-0001", "0712345678"], "usage", 2, false],
      ["an argument too many", ["open", "ORDER-0001"], "usage", 2, false],
      ["an order that is not there", ["ask", "ORDER-0001"], "not_found", 3, true],
      ["wrong credentials", ["start", ...PAYMENT], "credentials", 4, false],
    ])("prints an error as JSON: %s", async (_, args, code, exitCode, mayHavePaid) => {
      const { baseUrl } = serveService({ push: () => json({ message: "no" }, 401) });
      const said = await runCommand(command, environmentOf(baseUrl, newFolder()), ...args);
      expect(said).toMatchObject({ error: { code, may_have_paid: mayHavePaid }, exitCode });
    });

    test("ends with 1 if its folder cannot be used, 5 for a refusal, and 6 for an answer that tells nothing", async () => {
      const { baseUrl } = serveService({
        push: () => json({ message: "no" }, 400),
        list: () => json({}, 503),
      });
      const env = environmentOf(baseUrl, newFolder());
      expect((await runCommand(command, { ...env, MOMO_ORDERS: file }, "start", ...PAYMENT)).exitCode).toBe(1);
      expect((await runCommand(command, env, "start", ...PAYMENT)).exitCode).toBe(5);
      expect((await runCommand(command, env, "find", ...PAYMENT)).exitCode).toBe(6);
    });
  });
}
