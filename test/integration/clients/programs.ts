import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Child } from "../../support/child.ts";
import { later, newFolder } from "../../support/cleanup.ts";
import { serveFake } from "../../support/fake-server.ts";
import { runToEnd, startMomo } from "../../support/momo.ts";
import { findProgram, type Needed } from "../../support/needs.ts";
import { python } from "../../support/python.ts";
import { inTime } from "../../support/waiting.ts";

/** The clients of clients/, which programs call, for the same cases in each language. */

export const CLIENTS = join(import.meta.dir, "../../../clients");
export const PAYMENT = ["ORDER-0001", "0712345678", "100"];
/** The phone of PAYMENT, as it is sent. */
export const PHONE = "254712345678";
/** The file of a name in the folder of the orders. */
export const fileOf = (name: string) => `${Buffer.from(name).toString("hex")}.json`;
export const FILE = fileOf("order-0001");
export const PENDING_FILE = fileOf("order-0001~pending");
export const ENDED_FILE = fileOf("order-0001~ended");

/** Python without the packages of the machine, which the client does not need. */
export const PYTHON: readonly string[] = [findProgram("python3") ? python() : "python3", "-B", "-S"];

interface Program {
  readonly name: string;
  readonly needs: readonly Needed[];
  /** Runs the client as a command. */
  readonly command: readonly string[];
  /** Calls the client: what its arguments say, or without them, what each line of its input says. */
  readonly caller: readonly string[];
}

export const PROGRAMS: readonly Program[] = [
  {
    name: "JavaScript",
    needs: ["node"],
    command: ["node", join(CLIENTS, "client.mjs")],
    caller: ["node", join(import.meta.dir, "call.mjs"), join(CLIENTS, "client.mjs")],
  },
  {
    name: "Python",
    needs: ["python3"],
    command: [...PYTHON, join(CLIENTS, "client.py")],
    caller: [...PYTHON, join(import.meta.dir, "call.py"), join(CLIENTS, "client.py")],
  },
  {
    name: "PHP",
    needs: ["php", "php curl"],
    command: ["php", join(CLIENTS, "client.php")],
    caller: ["php", join(import.meta.dir, "call.php"), join(CLIENTS, "client.php")],
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
  readonly list?: (page: number, search: string, pushed: string) => Response | Promise<Response>;
}

/** A service, and a folder for the orders of its clients. It counts the pushes and the looks at a payment. */
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
    if (list) return list(Number(searchParams.get("page")), search, pushed);
    const isFound = pushed.startsWith(search) || search === PHONE;
    return json({ transactions: row && isFound ? [row] : [] });
  });
  return { baseUrl, orders: newFolder(), pushes: () => pushes, looks: () => looks };
}

export interface Output {
  readonly status?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly may_have_paid: boolean };
  readonly result: unknown;
}

export const environmentOf = (baseUrl: string, orders: string) => ({
  MOMO_BASE_URL: baseUrl,
  MOMO_API_KEY: "a",
  MOMO_API_SECRET: "b",
  MOMO_PAYMENT_ACCOUNT_ID: "1",
  MOMO_ORDERS: orders,
});

/** A store with the look of a service that found nothing for so long. */
export function storeNotFound(orders: string, notFoundMs: number): void {
  const { service_reference: push } = JSON.parse(readFileSync(join(orders, FILE), "utf8"));
  const asked = { clocks: [{ asked_ms: Date.now() - 60_000, not_found_ms: notFoundMs }] };
  writeFileSync(join(orders, fileOf(`${push}~asked`)), JSON.stringify(asked));
}

function outputOf(line: string): Output {
  const result = JSON.parse(line);
  return Array.isArray(result) ? { result } : { ...result, result };
}

type Environment = Readonly<Record<string, string>>;

/** Runs the client as a command, with its exit code. */
export async function runCommand(
  command: readonly string[],
  env: Environment,
  ...args: readonly string[]
): Promise<Output & { readonly exitCode: number | null }> {
  const { stdout, stderr, exitCode } = await runToEnd([...command, ...args], { env });
  expect(stderr).toBe("");
  return { ...outputOf(stdout), exitCode };
}

/** Calls a client with this environment, in a process of its own. */
export async function runWith(
  caller: readonly string[],
  env: Environment,
  ...call: readonly string[]
): Promise<Output> {
  const { stdout, stderr } = await runToEnd([...caller, ...call], { env });
  expect(stderr).toBe("");
  return outputOf(stdout);
}

type CallClient = (baseUrl: string, orders: string, ...call: readonly string[]) => Promise<Output>;

/** Calls a client, in a process for each call. */
export const processesOf =
  ({ caller }: Pick<Program, "caller">): CallClient =>
  (baseUrl, orders, ...call) =>
    runWith(caller, environmentOf(baseUrl, orders), ...call);

/** What a client can be given, in seconds; `nowMs` is explained in call.mjs. */
interface Options {
  readonly timeout?: number;
  readonly interval?: number;
  readonly deadline?: number;
  nowMs?: number;
}

/** Calls a client, one call after the other, in one process: its start takes most of the time of a call. */
export function runnerOf({ caller }: Pick<Program, "caller">, options: Options = {}): CallClient {
  let child: Child | undefined;
  return async (baseUrl, orders, ...call) => {
    child ??= startCaller(caller);
    await child.say(`${JSON.stringify({ env: environmentOf(baseUrl, orders), call, options })}\n`);
    const { stderr } = child;
    const line = await inTime(child.stdout.nextLine(), () => `the client does not answer to ${call.join(" ")}`);
    if (line === null) throw new Error(`the client ended: ${stderr.text}`);
    return outputOf(line);
  };
}

function startCaller(program: readonly string[]): Child {
  const child = startMomo([], { program, stdin: null });
  later(async () => {
    await child.finish();
    expect(child.stderr.text).toBe("");
  });
  return child;
}

/** The answer to a push whose outcome is unknown. */
export const LOST = () => json({}, 504);

/** The payment of PAYMENT, as a list shows it. */
export const OWN_ROW = { id: 7, amount: 100, phone: PHONE, checkout_request_id: CHECKOUT_ID, ...PAID };

/**
 * What a client says of an order whose answer was lost, at a service with this list.
 * @param notFoundMs for how long the service did not have it before
 */
export async function askAfterLoss(
  run: CallClient,
  list: NonNullable<Answers["list"]>,
  notFoundMs = 0,
): Promise<Output> {
  const { baseUrl, orders } = serveService({ push: LOST, list });
  await run(baseUrl, orders, "start", ...PAYMENT);
  if (notFoundMs > 0) storeNotFound(orders, notFoundMs);
  return run(baseUrl, orders, "ask", "ORDER-0001");
}
