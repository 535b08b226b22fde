import { type CallToolResult, McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { LANGUAGES, paste } from "../../sandbox/console/browser/logic/snippets.ts";
import { MOVE_TIMEOUT_MS } from "../../sandbox/control/rows/state.ts";
import { atMost, type Clock } from "../../src/domain/clock.ts";
import { whatCame } from "../../src/domain/error.ts";
import { visibleLines } from "../../src/domain/visible.ts";
import { durations, sleep } from "../../src/system.ts";
import { type Client, controlClient } from "../client/client.ts";
import { type Answer, READS, Refused } from "../client/request.ts";
import { variablesOf } from "../client/target.ts";
import type { Io } from "../io.ts";
import { readerGone } from "../libc.ts";
import { toFailure } from "../terminal/failure.ts";
import { version } from "../version.ts";
import { bounded } from "./bounded.ts";
import { type Connected, type Connection, newsFor, withServer } from "./connection.ts";
import { addPrompts, addResources } from "./knowledge.ts";
import { messagesOf, Transport } from "./messages.ts";
import { inputOf, partsOf, type ReadCall, readArguments } from "./schemas.ts";
import { type CalledAction, TOOLS, type ToolWithActions } from "./tools.ts";

type Arguments = Record<string, unknown>;

const INSTRUCTIONS = `momo is a local sandbox for mobile-money payments in Kenya. Call connect first: it gives the address and the key for the
program under test. Then start payments, be the customer, steer the clock and the outcomes, and read the audit after each run.`;

/** How long requests that were read before the input ended may take: as long as a wait usually may. */
const LAST_ANSWERS_MS = 10_000;

const NO_MESSAGE = "a line is not a message of JSON-RPC 2.0";

/** Serves one assistant over standard input and output until the input ends. Standard output has the protocol only. */
export async function serveAssistant(io: Io, connection: Connection): Promise<void> {
  const stdout = io.stdout.stream();
  const over = new AbortController();
  const lastAnswers = () => Promise.race([transport.whenAllAreAnswered(), sleep(LAST_ANSWERS_MS, over.signal)]);
  const messages = messagesOf(process.stdin, (answer) => stdout.write(answer), lastAnswers);
  const transport = new Transport(messages);
  const handle = serveStdio(() => createServer(connection), {
    transport,
    onerror: (error) => io.tell(`momo mcp: ${error instanceof z.ZodError ? NO_MESSAGE : error.message}`),
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  io.stdout.outlive(); // so that a private sandbox is removed
  stdout.once("error", () => resolve()); // the assistant reads no more
  messages.once("end", () => resolve());
  process.stdin.once("error", () => resolve());
  io.onSignal(() => resolve());
  void readerGone(over.signal).then(resolve, resolve);
  await ended;
  over.abort();
  await handle.close();
  process.stdin.destroy(); // its pipe would keep the process
}

/**
 * The tools, the documents and the tasks, without a transport.
 * @param clock real time, for the news of a long call
 */
export function createServer(connection: Connection, clock: Clock = durations): McpServer {
  const server = new McpServer({ name: "momo", version }, { instructions: INSTRUCTIONS });
  addConnect(server, connection);
  for (const [name, tool] of Object.entries(TOOLS)) addTool(server, connection, clock, name, tool);
  addResources(server);
  addPrompts(server);
  return server;
}

/** Other names that assistants give to a language. */
const ALSO = { js: "TypeScript", javascript: "TypeScript", ts: "TypeScript", php: "PHP", python: "Python" } as const;

const language = z
  .enum([...LANGUAGES, ...Object.keys(ALSO)], {
    error: ({ input }) => `must be one of ${LANGUAGES.join(", ")}${whatCame(input)}`,
  })
  .nullable()
  .default("TypeScript")
  .transform((given) => {
    const name = given ?? "TypeScript";
    return LANGUAGES.find((one) => one === name) ?? ALSO[name as keyof typeof ALSO];
  })
  .describe("of the example");

/** The only tool that gives a secret. */
function addConnect(server: McpServer, connection: Connection): void {
  const config = {
    description: "The address and the key for the program under test, as variables of its environment, and an example.",
    inputSchema: z.strictObject({ language }, { error: "connect takes language only" }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
  const lifetime = connection.isPrivate
    ? "This sandbox ends with this assistant, with its payments. momo serve starts one that stays: then start this assistant again."
    : "This sandbox runs on its own, and keeps its payments.";
  server.registerTool("connect", config, async ({ language }) => {
    try {
      const target = await withServer(connection, async (found) => {
        await controlClient(found).get("/clock", {});
        return found;
      });
      const { baseUrl: base_url, apiKey: api_key, paymentAccountId: payment_account_id } = target;
      const example = paste(language, { base_url, api_key, payment_account_id, data: null });
      return resultOf({ variables: variablesOf(target), example, lifetime });
    } catch (error) {
      return refused(sentenceOf(error));
    }
  });
}

function addTool(server: McpServer, connection: Connection, clock: Clock, name: string, tool: ToolWithActions): void {
  const actions = Object.values(tool.actions);
  const readOnlyHint = actions.every(isReading);
  const config = {
    description: tool.use,
    inputSchema: inputOf(tool, connection.target?.paymentAccountId ?? null),
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
      const { success: _, ...answer } = await withProgress(clock, action.waits ? inTurn(carry) : carry(), mcpReq);
      return resultOf({ ...newsFor(connection), ...bounded(action.compact?.(answer) ?? answer) });
    } catch (error) {
      const { target } = connection;
      const next =
        action &&
        target &&
        error instanceof Refused &&
        (await nextStep(action, error.status, given as Arguments, controlClient(target)));
      const why = sentenceOf(error);
      return refused(next ? `${why}. ${next}` : why);
    }
  });
}

function sentenceOf(error: unknown): string {
  const { message, hint } = toFailure(error);
  return hint === null ? message : `${message} (${hint})`;
}

const refused = (why: string): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text: visibleLines(why) }],
});

/** Sends the call of an action. */
function carryOut(target: Connected, { action, id, rest }: ReadCall, signal: AbortSignal): Promise<Answer> {
  const control = controlClient(target);
  const { method, path } = action;
  const place = path.replace(/[A-Z_]+/, () => encodeURIComponent(id));
  const given = { ...action.usual?.(target), ...rest, ...action.fixed };
  const options = { timeoutMs: MOVE_TIMEOUT_MS, signal, ...(isReading(action) && READS) };
  if (method === "GET") return control.get(place, queryOf(given), options);
  if (method === "DELETE") return control.delete(place, options);
  const { query, body } = partsOf(action, given);
  const search = new URLSearchParams(queryOf(query)).toString();
  return control[method === "PUT" ? "put" : "post"](place + (search && `?${search}`), body, options);
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
async function withProgress<T>(clock: Clock, work: Promise<T>, { _meta, notify }: ServerContext["mcpReq"]): Promise<T> {
  const progressToken = _meta?.progressToken;
  const ended = work.catch(() => "failed");
  for (let progress = 1; progressToken !== undefined; progress += 1) {
    if ((await atMost(clock, PROGRESS_EVERY_MS, ended)) !== null) break;
    const params = { progressToken, progress, message: "still waiting" };
    await notify({ method: "notifications/progress", params });
  }
  return work;
}

/** As text, which every assistant reads; the same as structured content would be a second copy. */
function resultOf(answer: Arguments): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(answer) }] };
}

/** What to do after a refusal, as a tool to call. */
async function nextStep(
  { waits, next }: CalledAction,
  status: number,
  { reference }: Arguments,
  control: Client,
): Promise<string | undefined> {
  if (!(waits && status === STILL_WAITING)) return next?.[status];
  if (reference !== undefined) {
    const [isOpen, hasEnded] = await Promise.all([
      has(reference, "pending", control),
      has(reference, "final", control),
    ]);
    if (!isOpen && !hasEnded)
      return "No payment has this reference: list_payments shows those that there are; a refused request has none: see audit with action requests";
    if (!isOpen) return "All payments with this reference have ended: explain_payment with the reference says how";
  }
  // Only help for the assistant: if the sandbox does not answer, the refusal before says so.
  const clock = await control.get("/clock", {}).catch(() => null);
  return clock?.frozen === true
    ? "The clock is frozen: call clock with action advance, such as advance 60s, or answer the prompt with customer"
    : "If its outcome is manual, answer the prompt with customer; otherwise call clock with action advance";
}

/** The status of a wait that reached its time-out. */
const STILL_WAITING = 408;

/** Whether a payment of any merchant with this reference is open, or has ended. */
const has = (reference: unknown, until: "pending" | "final", control: Client): Promise<boolean> =>
  control.post("/wait", { reference, until, timeout: "1ms" }).then(
    () => true,
    (error: unknown) => !(error instanceof Refused && error.status === STILL_WAITING),
  );
