import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { serveFake } from "../../support/fake-server.ts";
import { type Run, runToEnd } from "../../support/momo.ts";
import { describeWith, type Needed } from "../../support/needs.ts";
import { TEST_TIMEOUT_MS } from "../../support/waiting.ts";

/** The clients of clients/ as programs, with the same cases in each language: orders, their folder, and the exit codes. */

const CLIENTS = join(import.meta.dir, "../../../clients");
const PAYMENT = ["ORDER-0001", "0712345678", "100"];
const FILE = `${Buffer.from("order-0001").toString("hex")}.json`;

interface Program {
  readonly name: string;
  readonly needs: readonly Needed[];
  readonly command: readonly string[];
  /** A program that pays within 3 s, while its clock goes back by an hour. */
  readonly payBackwards: (url: string) => readonly string[];
}

const PROGRAMS: readonly Program[] = [
  {
    name: "JavaScript",
    needs: ["node"],
    command: ["node", join(CLIENTS, "client.mjs")],
    payBackwards: (baseUrl) => [
      ...["node", "--input-type=module", "-e"],
      `import { createClient, fileStore } from "${CLIENTS}/client.mjs";
       let ms = 1e12; let slept = 0;
       const sleep = async (time) => { slept += time; ms -= 3_600_000; };
       const momo = createClient({ baseUrl: "${baseUrl}", apiKey: "a", apiSecret: "b", paymentAccountId: 1,
         store: fileStore("orders"), now: () => ms, sleep, deadlineMs: 3000 });
       console.log((await momo.pay("ORDER-0001", "0712345678", 100)).status, slept);`,
    ],
  },
  {
    name: "Python",
    needs: ["python3"],
    command: ["python3", "-B", join(CLIENTS, "client.py")],
    payBackwards: (url) => [
      ...["python3", "-B", "-c"],
      `import sys; sys.path.insert(0, "${CLIENTS}"); from client import Client, FileStore; from decimal import Decimal
times = [1e9]; slept = []
def sleep(seconds):
    slept.append(seconds); times.append(times[-1] - 3600)
momo = Client("${url}", "a", "b", 1, FileStore("orders"), now=lambda: times[-1], sleep=sleep, deadline=3)
print(momo.pay("ORDER-0001", "0712345678", Decimal("100.00"))["status"], round(sum(slept) * 1000))`,
    ],
  },
  {
    name: "PHP",
    needs: ["php", "php curl"],
    command: ["php", join(CLIENTS, "client.php")],
    payBackwards: (url) => [
      ...["php", "-r"],
      `require "${CLIENTS}/client.php"; $time = 1e9; $slept = 0;
       $sleep = function (float $seconds) use (&$time, &$slept) { $slept += $seconds; $time -= 3600; };
       $now = function () use (&$time) { return $time; };
       $momo = new Momo\\Client("${url}", "a", "b", 1, new Momo\\FileStore("orders"), now: $now, sleep: $sleep, deadline: 3);
       echo $momo->pay("ORDER-0001", "0712345678", 100)["status"], " ", $slept * 1000, "\n";`,
    ],
  },
];

const CHECKOUT_ID = "ws_CO_1";
const PAID = {
  status: "completed",
  momo_receipt_number: "UKK001DAN1",
  result_code: 0,
  result_desc: "Bezahlt – \u{1F600}\u2028",
};
const json = (body: object, status = 200) =>
  Response.json({ success: status === 200, message: "", ...body }, { status });

interface Answers {
  readonly push?: () => Response | Promise<Response>;
  readonly status?: () => Response;
  readonly rows?: readonly object[];
}

/** A service. It counts the pushes. */
function serveService({ push = () => json({ checkout_request_id: CHECKOUT_ID }), status, rows = [] }: Answers = {}) {
  let pushes = 0;
  const { baseUrl } = serveFake(({ url }) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith("/status.php")) return status?.() ?? json({ status: "pending" });
    if (pathname.endsWith("/transactions.php")) return json({ transactions: rows });
    pushes += 1;
    return push();
  });
  return { baseUrl, pushes: () => pushes };
}

afterAll(cleanUp);

for (const { name, needs, command, payBackwards } of PROGRAMS) {
  const run = (baseUrl: string, orders: string, ...args: readonly string[]) => runIn(command, baseUrl, orders, ...args);

  describeWith(needs, `the client in ${name}`, () => {
    test(
      "knows an order from its start to its end, with the reason",
      async () => {
        let isPaid = false;
        const { baseUrl, pushes } = serveService({ status: () => json(isPaid ? PAID : { status: "pending" }) });
        const orders = newFolder();
        const start = await run(baseUrl, orders, "start", ...PAYMENT);
        expect(start).toMatchObject({ status: "pending", may_have_paid: true, exitCode: 13 });
        expect(await run(`${baseUrl}/`, orders, "ask", "order-0001")).toMatchObject({ status: "pending", asks: 1 });
        const { result } = await run(baseUrl, orders, "open");
        expect(result).toMatchObject([{ reference: "ORDER-0001", checkout_request_id: CHECKOUT_ID }]);
        isPaid = true;
        const ended = await run(baseUrl, orders, "ask", "ORDER-0001");
        const { momo_receipt_number: receipt, ...rest } = PAID;
        expect(ended).toMatchObject({ ...rest, receipt, exitCode: 0 });
        expect(ended).not.toHaveProperty("may_have_paid");
        expect((await run(baseUrl, orders, "open")).result).toEqual([]);
        expect((await run(baseUrl, orders, "pay", ...PAYMENT)).status).toBe("completed");
        expect(pushes()).toBe(1);
      },
      TEST_TIMEOUT_MS,
    );

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
    ])(
      "takes the amount %p as %p",
      async (amount, taken) => {
        const [reference = "", phone = ""] = PAYMENT;
        const said = await run(serveService().baseUrl, newFolder(), "start", reference, phone, amount);
        if (taken === null) expect(said).toMatchObject({ error: { code: "usage", may_have_paid: false }, exitCode: 2 });
        else expect(said).toMatchObject({ amount: taken, status: "pending" });
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "learns at once that the network has refused",
      async () => {
        const message = "STK push initiation failed: the network refuses";
        const { baseUrl } = serveService({ push: () => json({ message }, 500) });
        const said = await run(baseUrl, newFolder(), "pay", ...PAYMENT);
        expect(said).toMatchObject({ status: "not_started", result_desc: message, asks: 0, exitCode: 5 });
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "refuses the order of another service",
      async () => {
        const orders = newFolder();
        const first = serveService().baseUrl;
        const second = serveService();
        await run(first, orders, "start", ...PAYMENT);
        for (const call of [["pay", ...PAYMENT], ["ask", "ORDER-0001"], ["open"]]) {
          const { error, exitCode } = await run(second.baseUrl, orders, ...call);
          expect({ code: error?.code, exitCode }).toEqual({ code: "usage", exitCode: 2 });
          expect(error?.message).toContain(first);
          expect(error?.message).toContain(second.baseUrl);
        }
        expect(second.pushes()).toBe(0);
      },
      TEST_TIMEOUT_MS,
    );

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
        for (const orders of [file, join(file, "orders"), "/proc/orders"]) {
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
      "pushes once if two processes start one order",
      async () => {
        const { promise: both, resolve } = Promise.withResolvers<void>();
        const { baseUrl, pushes } = serveService({
          push: async () => {
            await both;
            return json({ checkout_request_id: CHECKOUT_ID });
          },
        });
        const orders = newFolder();
        const starts = [1, 2, 3].map(() => run(baseUrl, orders, "start", ...PAYMENT));
        const first = await Promise.race(starts);
        expect(first.status).toBe("unknown");
        resolve();
        const statuses = (await Promise.all(starts)).map(({ status }) => status);
        expect(statuses.sort()).toEqual(["pending", "unknown", "unknown"]);
        expect(pushes()).toBe(1);
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

    test(
      "waits for its deadline while the clock goes back",
      async () => {
        const { stdout, stderr } = await runToEnd(payBackwards(serveService().baseUrl));
        expect({ stdout, stderr }).toEqual({ stdout: "pending 3000\n", stderr: "" });
      },
      TEST_TIMEOUT_MS,
    );
  });
}

describeWith(["node", "python3", "php", "php curl"], "the clients in all languages", () => {
  test(
    "write the same file, and go on with the orders of each other",
    async () => {
      const { baseUrl, pushes } = serveService({ status: () => json(PAID) });
      const files: string[] = [];
      for (const [index, { command }] of PROGRAMS.entries()) {
        const orders = newFolder();
        const next = PROGRAMS[(index + 1) % PROGRAMS.length]?.command ?? [];
        await runIn(command, baseUrl, orders, "start", "ORDER-0001", "0712345678", "100.50");
        expect(await runIn(next, baseUrl, orders, "ask", "ORDER-0001")).toMatchObject({ status: "completed" });
        const text = readFileSync(join(orders, FILE), "utf8");
        files.push(text.replace(/~[0-9a-f]{8}"/, '~"').replace(/"started_at":\d{13},/, '"started_at":0,'));
      }
      expect(new Set(files).size, files.join("\n")).toBe(1);
      expect(files[0]).toContain('"started_at":0,');
      expect(pushes()).toBe(3);
    },
    TEST_TIMEOUT_MS,
  );
});

interface Output {
  readonly status?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly may_have_paid: boolean };
  readonly exitCode: number | null;
  readonly result: unknown;
}

async function runIn(
  command: readonly string[],
  baseUrl: string,
  orders: string,
  ...args: readonly (string | { readonly cwd: string })[]
): Promise<Output> {
  const env = {
    MOMO_BASE_URL: baseUrl,
    MOMO_API_KEY: "a",
    MOMO_API_SECRET: "b",
    MOMO_PAYMENT_ACCOUNT_ID: "1",
    MOMO_ORDERS: orders,
  };
  const words = args.filter((arg) => typeof arg === "string");
  const [place = {}] = args.filter((arg) => typeof arg === "object");
  const { stdout, stderr, exitCode }: Run = await runToEnd([...command, ...words], { env, ...place });
  expect(stderr).toBe("");
  const result = JSON.parse(stdout);
  return Array.isArray(result) ? { result, exitCode } : { ...result, result, exitCode };
}
