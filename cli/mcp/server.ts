import { isDeepStrictEqual } from "node:util";
import { type CallToolResult, McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Command } from "commander";
import { z } from "zod";
import { LANGUAGES, paste } from "../../sandbox/console/browser/logic/snippets.ts";
import { MOVE_TIMEOUT_MS } from "../../sandbox/control/rows/state.ts";
import { atMost } from "../../src/domain/clock.ts";
import { whatCame } from "../../src/domain/error.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { visibleLines } from "../../src/domain/visible.ts";
import { durations, sleep } from "../../src/system.ts";
import { type Client, controlClient } from "../client/client.ts";
import { startPrivateSandbox } from "../client/private-sandbox.ts";
import { type Answer, LostAnswer, READS, Refused } from "../client/request.ts";
import {
  type ControlTarget,
  resolveControl,
  resolveTarget,
  type Target,
  type TargetFlags,
  variablesOf,
} from "../client/target.ts";
import { momoEnvironment } from "../environment.ts";
import { hasNoDataDirectory } from "../files/data-directory.ts";
import { readerGone } from "../libc.ts";
import { addSandboxOptions, configOf } from "../serving/sandbox-flags.ts";
import { Failure, toFailure } from "../terminal/failure.ts";
import { tell } from "../terminal/output.ts";
import { endingSignals } from "../terminal/signals.ts";
import { outliveOutput, outStream } from "../terminal/standard-output.ts";
import { version } from "../version.ts";
import { bounded } from "./bounded.ts";
import { addPrompts, addResources } from "./knowledge.ts";
import { messagesOf, Transport } from "./messages.ts";
import { inputOf, readArguments } from "./schemas.ts";
import { type CalledAction, TOOLS, type ToolWithActions } from "./tools.ts";

type Arguments = Record<string, unknown>;

const INSTRUCTIONS = `momo is a local sandbox for mobile-money payments in Kenya. Call connect first: it gives the address and the key for the
program under test. Then start payments, be the customer, steer the clock and the outcomes, and read the audit after each run.`;

/** How long requests that were read before the input ended may take: as long as a wait usually may. */
const LAST_ANSWERS_MS = 10_000;

const NO_MESSAGE = "a line is not a message of JSON-RPC 2.0";

/** Serves one assistant over standard input and output until the input ends. Standard output has the protocol only. */
export async function serveAssistant(connection: Connection): Promise<void> {
  const over = new AbortController();
  const lastAnswers = () => Promise.race([transport.whenAllAreAnswered(), sleep(LAST_ANSWERS_MS, over.signal)]);
  const messages = messagesOf(process.stdin, (answer) => outStream().write(answer), lastAnswers);
  const transport = new Transport(messages);
  const handle = serveStdio(() => createServer(connection), {
    transport,
    onerror: (error) => tell(`momo mcp: ${error instanceof z.ZodError ? NO_MESSAGE : error.message}`),
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  outliveOutput(); // so that a private sandbox is removed
  outStream().once("error", () => resolve()); // the assistant reads no more
  messages.once("end", () => resolve());
  process.stdin.once("error", () => resolve());
  for (const [signal] of endingSignals()) process.once(signal, () => resolve());
  void readerGone(over.signal).then(resolve, resolve);
  await ended;
  over.abort();
  await handle.close();
  process.stdin.destroy(); // its pipe would keep the process
}

function createServer(connection: Connection): McpServer {
  const server = new McpServer({ name: "momo", version }, { instructions: INSTRUCTIONS });
  addConnect(server, connection);
  for (const [name, tool] of Object.entries(TOOLS)) addTool(server, connection, name, tool);
  addResources(server);
  addPrompts(server);
  return server;
}

const language = z
  .enum(LANGUAGES, { error: ({ input }) => `must be one of ${LANGUAGES.join(", ")}${whatCame(input)}` })
  .nullable()
  .default("TypeScript")
  .transform((given) => given ?? "TypeScript")
  .describe("of the example");

/** The only tool that gives a secret. */
function addConnect(server: McpServer, connection: Connection): void {
  const config = {
    description: "The address and the key for the program under test, as variables of its environment, and an example.",
    inputSchema: z.strictObject({ language }, { error: "connect takes language only" }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
  const lifetime = connection.isPrivate
    ? "This sandbox ends with this assistant, with its payments. momo serve starts one that stays."
    : "This sandbox runs on its own, and keeps its payments.";
  server.registerTool("connect", config, async ({ language }) => {
    await withServer(connection, (target) => controlClient(target).get("/clock", {})).catch(() => {});
    const { target } = connection;
    const { baseUrl: base_url, apiKey: api_key, paymentAccountId: payment_account_id } = target;
    const example = paste(language, { base_url, api_key, payment_account_id, data: null });
    return resultOf({ variables: variablesOf(target), example, lifetime });
  });
}

function addTool(server: McpServer, connection: Connection, name: string, tool: ToolWithActions): void {
  const actions = Object.values(tool.actions);
  const readOnlyHint = actions.every(isReading);
  const config = {
    description: tool.use,
    inputSchema: inputOf(tool, connection.target),
    annotations: {
      readOnlyHint,
      destructiveHint: tool.destroys === true,
      idempotentHint: readOnlyHint,
      openWorldHint: false,
    },
  };
  server.registerTool(name, config, async (given, { mcpReq }) => {
    let action: CalledAction | null = null;
    try {
      const read = readArguments(name, tool, given as Arguments);
      ({ action } = read);
      const carry = () => withServer(connection, (target) => carryOut(target, read, mcpReq.signal));
      const { success: _, ...answer } = await withProgress(action.waits ? inTurn(carry) : carry(), mcpReq);
      return resultOf(bounded(action.compact?.(answer) ?? answer));
    } catch (error) {
      const { message, hint } = toFailure(error);
      const next =
        action &&
        error instanceof Refused &&
        (await nextStep(action, error.status, given as Arguments, controlClient(connection.target)));
      const why = hint === null ? message : `${message} (${hint})`;
      const text = visibleLines(next ? `${why}. ${next}` : why);
      return { isError: true, content: [{ type: "text", text }] };
    }
  });
}

type Read = ReturnType<typeof readArguments>;

/** Sends the call of an action. */
function carryOut(target: Connected, { action, id, rest }: Read, signal: AbortSignal): Promise<Answer> {
  const control = controlClient(target);
  const { method, path } = action;
  const place = path.replace(/[A-Z_]+/, () => encodeURIComponent(id));
  const given = { ...action.usual?.(target), ...rest, ...action.fixed };
  const options = { timeoutMs: MOVE_TIMEOUT_MS, signal, ...(isReading(action) && READS) };
  if (method === "GET") return control.get(place, queryOf(given), options);
  if (method === "DELETE") return control.delete(place, options);
  return control[method === "PUT" ? "put" : "post"](place, given, options);
}

/** @throws Error for a value that a query cannot have: null would be the text "null" */
function queryOf(given: Arguments): Record<string, string> {
  const wrong = Object.entries(given).find(([, value]) => typeof value === "object");
  if (wrong) throw new Error(`${wrong[0]} must be text or a number, or left out${whatCame(wrong[1])}`);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
}

/** Whether it changes nothing, so that it can be repeated after a lost answer. */
const isReading = ({ method, waits }: CalledAction): boolean => method === "GET" || waits === true;

/** Waits at once: more would keep other calls from the sandbox. */
const MOST_WAITS = 50;
let waits = 0;

async function inTurn<T>(wait: () => Promise<T>): Promise<T> {
  if (waits >= MOST_WAITS) throw new Error(`${MOST_WAITS} waits are under way, the most at once: await or cancel one`);
  waits += 1;
  return wait().finally(() => {
    waits -= 1;
  });
}

const PROGRESS_EVERY_MS = 2000;

/** Tells the assistant that a long call goes on, if it asked to be told. */
async function withProgress<T>(work: Promise<T>, { _meta, notify }: ServerContext["mcpReq"]): Promise<T> {
  const progressToken = _meta?.progressToken;
  const ended = work.catch(() => "failed");
  for (let progress = 1; progressToken !== undefined; progress += 1) {
    if ((await atMost(durations, PROGRESS_EVERY_MS, ended)) !== null) break;
    const params = { progressToken, progress, message: "still waiting" };
    await notify({ method: "notifications/progress", params });
  }
  return work;
}

/** As text, which every assistant reads; the same as structured content would be a second copy. */
function resultOf(answer: Arguments): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(answer) }] };
}

export type Connected = Target & ControlTarget;

/** The sandbox of an assistant. A private one was started for it, and ends with it. */
export interface Connection {
  target: Connected;
  readonly isPrivate: boolean;
  /** Where the sandbox is now: a server that was started again may have another address. */
  find(): Connected;
  stop(): Promise<unknown>;
}

/** Does something with the server; if it has gone, with the one that was started in its place. */
async function withServer<T>(connection: Connection, work: (target: Connected) => Promise<T>): Promise<T> {
  const { target } = connection;
  try {
    return await work(target);
  } catch (error) {
    if (!isGone(error)) throw error;
    const found = readOrNull(() => connection.find());
    if (found === null || isDeepStrictEqual(found, target)) throw error;
    connection.target = found;
    return work(found);
  }
}

/** Whether a request did not reach the server, so that it can be sent to another. */
const isGone = (error: unknown): boolean =>
  error instanceof Failure && error.code === "unreachable" && !(error instanceof LostAnswer);

/**
 * Connects to the sandbox of the flags, of the environment or of the data directory; starts a private one if none runs, also where the
 * record of one that was killed is left.
 * @throws Failure if a named one does not answer, or refuses the token
 */
export async function connect(flags: TargetFlags): Promise<Connection> {
  try {
    const find = () => ({ ...resolveTarget(flags), ...resolveControl(flags) });
    const target = find();
    await controlClient(target).get("/clock", {});
    return { target, isPrivate: false, find, stop: async () => {} };
  } catch (error) {
    if (!(isGone(error) || hasNoDataDirectory(flags.data)) || isNamed(flags)) throw error;
  }
  const sandbox = await startPrivateSandbox(await configOf(addSandboxOptions(new Command()).opts()));
  return { ...sandbox, isPrivate: true, find: () => sandbox.target };
}

/**
 * Whether a flag, or an address in the environment, names a sandbox: then no other takes its place. `MOMO_DATA` names none: it only
 * says where the data directory is, and every container has it.
 */
function isNamed({ baseUrl, data }: TargetFlags): boolean {
  const { baseUrl: service, controlUrl } = momoEnvironment();
  return [baseUrl, data, service, controlUrl].some((name) => name !== undefined);
}

/** What to do after a refusal, as a tool to call. */
async function nextStep(
  { waits, next }: CalledAction,
  status: number,
  { reference }: Arguments,
  control: Client,
): Promise<string | undefined> {
  if (!(waits && status === STILL_WAITING)) return next?.[status];
  if (reference !== undefined && (await isUnknown(reference, control))) {
    return "No payment has this reference: list_payments shows those that there are; a refused request has none: see audit with action requests";
  }
  // Only help for the assistant: if the sandbox does not answer, the refusal before says so.
  const clock = await control.get("/clock", {}).catch(() => null);
  return clock?.frozen === true
    ? "The clock is frozen: call clock with action advance, such as advance 60s, or answer the prompt with customer"
    : "If its outcome is manual, answer the prompt with customer; otherwise call clock with action advance";
}

/** The status of a wait that reached its time-out. */
const STILL_WAITING = 408;

/** Whether no payment of any merchant has this reference: neither an open one nor one that has ended. */
async function isUnknown(reference: unknown, control: Client): Promise<boolean> {
  const waits = ["pending", "final"].map((until) =>
    control.post("/wait", { reference, until, timeout: "1ms" }).then(
      () => false,
      (error: unknown) => error instanceof Refused && error.status === STILL_WAITING,
    ),
  );
  return (await Promise.all(waits)).every(Boolean);
}
