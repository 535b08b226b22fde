import { expect } from "bun:test";
import { join } from "node:path";
import { serveFake } from "../../support/fake-server.ts";
import { type Run, runToEnd } from "../../support/momo.ts";
import type { Needed } from "../../support/needs.ts";

/** The clients of clients/ as programs, for the same cases in each language. */

export const CLIENTS = join(import.meta.dir, "../../../clients");
export const PAYMENT = ["ORDER-0001", "0712345678", "100"];
/** The file of a name in the folder of the orders. */
export const fileOf = (name: string) => `${Buffer.from(name).toString("hex")}.json`;
export const FILE = fileOf("order-0001");
export const ACCEPTED_FILE = fileOf("order-0001~accepted");
export const ENDED_FILE = fileOf("order-0001~ended");

interface Program {
  readonly name: string;
  readonly needs: readonly Needed[];
  readonly command: readonly string[];
  /** A program that pays within 3 s, while its clock goes back by an hour. */
  readonly payBackwards: (url: string) => readonly string[];
  /** A program that pays, and prints the status and for how many seconds it has waited each time. */
  readonly payPatiently: (url: string) => readonly string[];
}

export const PROGRAMS: readonly Program[] = [
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
         store: fileStore(process.cwd()), now: () => ms, sleep, deadlineMs: 3000 });
       console.log((await momo.pay("ORDER-0001", "0712345678", 100)).status, slept);`,
    ],
    payPatiently: (baseUrl) => [
      ...["node", "--input-type=module", "-e"],
      `import { createClient, fileStore } from "${CLIENTS}/client.mjs";
       const slept = [];
       const sleep = async (ms) => { slept.push(ms / 1000); };
       const momo = createClient({ baseUrl: "${baseUrl}", apiKey: "a", apiSecret: "b", paymentAccountId: 1,
         store: fileStore(process.cwd()), sleep });
       console.log((await momo.pay("ORDER-0001", "0712345678", 100)).status, ...slept);`,
    ],
  },
  {
    name: "Python",
    needs: ["python3"],
    command: ["python3", "-B", join(CLIENTS, "client.py")],
    payBackwards: (url) => [
      ...["python3", "-B", "-c"],
      `import os, sys; sys.path.insert(0, "${CLIENTS}"); from client import Client, FileStore; from decimal import Decimal
times = [1e9]; slept = []
def sleep(seconds):
    slept.append(seconds); times.append(times[-1] - 3600)
momo = Client("${url}", "a", "b", 1, FileStore(os.getcwd()), now=lambda: times[-1], sleep=sleep, deadline=3)
print(momo.pay("ORDER-0001", "0712345678", Decimal("100.00"))["status"], round(sum(slept) * 1000))`,
    ],
    payPatiently: (url) => [
      ...["python3", "-B", "-c"],
      `import os, sys; sys.path.insert(0, "${CLIENTS}"); from client import Client, FileStore
slept = []
momo = Client("${url}", "a", "b", 1, FileStore(os.getcwd()), sleep=slept.append)
print(momo.pay("ORDER-0001", "0712345678", 100)["status"], *slept)`,
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
       $momo = new Momo\\Client("${url}", "a", "b", 1, new Momo\\FileStore(getcwd()), now: $now, sleep: $sleep, deadline: 3);
       echo $momo->pay("ORDER-0001", "0712345678", 100)["status"], " ", $slept * 1000, "\n";`,
    ],
    payPatiently: (url) => [
      ...["php", "-r"],
      `require "${CLIENTS}/client.php"; $slept = [];
       $sleep = function (float $seconds) use (&$slept) { $slept[] = $seconds; };
       $momo = new Momo\\Client("${url}", "a", "b", 1, new Momo\\FileStore(getcwd()), sleep: $sleep);
       echo $momo->pay("ORDER-0001", "0712345678", 100)["status"], " ", implode(" ", $slept), "\n";`,
    ],
  },
];

export const CHECKOUT_ID = "ws_CO_1";
export const PAID = {
  status: "completed",
  momo_receipt_number: "UKK001DAN1",
  result_code: 0,
  result_desc: "Bezahlt – \u{1F600}\u2028",
};
export const json = (body: object, status = 200) =>
  Response.json({ success: status === 200, message: "", ...body }, { status });

interface Answers {
  readonly push?: () => Response | Promise<Response>;
  readonly status?: () => Response | Promise<Response>;
  /** The payment that was pushed, as the list shows it. */
  readonly row?: object;
  /** What a page of the list answers, instead of `row`. */
  readonly list?: (page: number, search: string) => Response | Promise<Response>;
}

/** A service. It counts the pushes and the looks at a payment. */
export function serveService({
  push = () => json({ checkout_request_id: CHECKOUT_ID }),
  status = () => json({ status: "pending" }),
  row,
  list,
}: Answers = {}) {
  let pushes = 0;
  let looks = 0;
  let pushed = "";
  const { baseUrl } = serveFake(async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.endsWith("/stkpush.php")) {
      pushes += 1;
      pushed = ((await request.json()) as { reference: string }).reference;
      return push();
    }
    looks += 1;
    if (pathname.endsWith("/status.php")) return status();
    const search = searchParams.get("search") ?? "";
    if (list) return list(Number(searchParams.get("page")), search);
    return json({ transactions: row && pushed.startsWith(search) ? [row] : [] });
  });
  return { baseUrl, pushes: () => pushes, looks: () => looks };
}

interface Output {
  readonly status?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly may_have_paid: boolean };
  readonly exitCode: number | null;
  readonly result: unknown;
}

/** Runs a command of a client with these orders; its JSON and its exit code. */
export async function runIn(
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
