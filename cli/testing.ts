import type { Finding } from "../sandbox/audit/finding.ts";
import { parseChoice } from "../sandbox/network/choice.ts";
import type { OutcomeName } from "../sandbox/network/outcomes.ts";
import { parseWebhookUrl } from "../sandbox/webhooks/settings.ts";
import { parseDuration } from "../src/domain/duration.ts";
import { invalid } from "../src/domain/error.ts";
import type { Kind, Status } from "../src/domain/transaction.ts";
import { whatCame } from "../src/domain/what-came.ts";
import type { Accept, BasePaths } from "../src/http/operation.ts";
import type { itemView, ResponseForm } from "../src/http/view.ts";
import { stopwatch, systemClock, systemRandom } from "../src/system.ts";
import { ADVANCE_TIMEOUT_MS, type Answer, controlClient } from "./client/client.ts";
import { readPages } from "./client/pages.ts";
import { startSandbox as start } from "./serving/start-sandbox.ts";
import { makeTemporaryDirectory, removeTemporaryDirectory } from "./serving/temporary-directory.ts";
import { BASE_PATHS, readBasePath, readPromptTimeout } from "./terminal/options.ts";
import { reportFault } from "./terminal/output.ts";
import { type TestWebhook, webhookOf } from "./testing-webhook.ts";

export type { DeliveryRecord, TestWebhook, WebhookInput } from "./testing-webhook.ts";

/** A sandbox in the process of a test: `import { startSandbox } from "momo/testing"`. */

export interface NetworkOptions {
  /** What prompts do where nothing else decides: `NAME` or `NAME; after=DURATION`. By default `completed` after 3 s. */
  readonly outcome?: OutcomeName | `${OutcomeName};${string}`;
  /** How long a prompt waits for its customer: a duration such as `60s`, the default. */
  readonly promptTimeout?: string;
  /** By default `/v2`, and the same at `/api/v2`. */
  readonly basePath?: string;
  /** What a client may send: by default `strict`; `lenient` also takes what the real services take. */
  readonly accept?: Accept;
  /** By default `full`. */
  readonly responseForm?: ResponseForm;
  /** Where each payment that becomes final is POSTed. The specification knows no webhooks. */
  readonly webhook?: string;
  /** Whether the clock stands still from the start, so that only the test moves it. By default it does not. */
  readonly frozen?: boolean;
}

/** What the prompts that match do. */
export interface RuleInput {
  readonly match?: {
    readonly phone?: string;
    readonly amount?: number;
    readonly payment_account_id?: number;
    readonly reference?: string;
  };
  readonly outcome: OutcomeName;
  /** A duration. */
  readonly after?: string;
  /** For how many prompts; by default for all. */
  readonly times?: number;
}

/** Something that goes wrong on the way to the merchant API. */
export interface FaultInput {
  readonly path?: "/stkpush.php" | "/status.php" | "/transactions.php";
  readonly kind: "error" | "delay" | "disconnect";
  /** Of an error; by default 500. */
  readonly status?: number;
  /** A duration, of a delay. */
  readonly delay?: string;
  readonly probability?: number;
  readonly times?: number;
}

/** A transaction as the list shows it (§2.2). */
export type TransactionRecord = Readonly<Extract<ReturnType<typeof itemView>, { kind: Kind }>>;

/** A call of the merchant API, as the log has it. */
export interface RequestRecord {
  readonly id: number;
  readonly method: string;
  readonly target: string;
  readonly headers: Record<string, string>;
  /** The first 4,096 characters. */
  readonly body: string | null;
  readonly body_cut_bytes: number;
  readonly status: number | null;
  /** JSON as such; where it is longer than 4,096 characters, their text. */
  readonly answer: unknown;
  readonly answer_cut_bytes: number;
  readonly fault: string | null;
  /** What the lenient form alone took. */
  readonly leniencies: readonly { readonly member: string; readonly came: string }[];
  /** Whether the strict form refused what the lenient one takes. */
  readonly lenient_takes: boolean;
}

export interface TestSandbox {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly paymentAccountId: number;
  /** The headers that every operation needs (§5). */
  readonly headers: Record<string, string>;
  readonly rules: { add(...rules: RuleInput[]): Promise<void>; clear(): Promise<void> };
  readonly faults: {
    /** Replaces all; the same seed brings the same faults. Resolves to the seed. */
    set(faults: FaultInput[], seed?: number): Promise<number>;
    clear(): Promise<void>;
  };
  readonly webhook: TestWebhook;
  readonly clock: {
    freeze(): Promise<void>;
    /** A duration. What falls due is resolved when this resolves. */
    advance(duration: string): Promise<void>;
    resume(): Promise<void>;
  };
  /** Answers a prompt, as its customer or as the network. */
  answer(
    checkoutRequestId: string,
    answer: { readonly pin: string } | { readonly outcome: OutcomeName },
  ): Promise<TransactionRecord>;
  /** Resolves the moment the transaction is as asked for; rejects at the time-out (a duration in real time, by default 10s). */
  wait(
    payment: { readonly checkoutRequestId: string } | { readonly reference: string },
    until?: "final" | Status,
    timeout?: string,
  ): Promise<TransactionRecord>;
  /** The last 1,000 calls of the merchant API, oldest first. */
  requests(): Promise<RequestRecord[]>;
  /** What the client under test has done wrong, the worst first. */
  audit(): Promise<Finding[]>;
  /** Keeps how everything is now, under a name of letters, digits, - and _. */
  snapshot(name: string): Promise<void>;
  /** Brings everything back, the clock too; only merchants, accounts and keys stay as they are. */
  restore(name: string): Promise<void>;
  /** Forgets transactions, rules, faults, log, audit and clock. */
  reset(): Promise<void>;
  /** Ends it, and removes all that it stored. */
  stop(): Promise<void>;
}

/** How much later than its time-out the answer to a wait may come. */
const ANSWER_GRACE_MS = 10_000;

/**
 * Starts a sandbox of its own: a free port, a temporary folder, the same code that `momo serve` runs.
 * @throws Refusal `invalid` for options that make no sense
 */
export async function startSandbox(options: NetworkOptions = {}): Promise<TestSandbox> {
  const config = {
    host: "127.0.0.1",
    port: 0,
    controlPort: null,
    basePaths: basePathsOf(options),
    accept: checked("accept", () => readAccept(options.accept ?? "strict")),
    fallback: parseChoice(options.outcome ?? "completed", "outcome"),
    promptLifetimeMs: checked("promptTimeout", () => readPromptTimeout(options.promptTimeout ?? "60s")),
    tariff: null,
    form: options.responseForm ?? "full",
    rules: [],
    webhook: options.webhook === undefined ? null : parseWebhookUrl(options.webhook, "webhook"),
    controlToken: null,
    realClock: systemClock,
    stopwatch,
    random: systemRandom,
    reportFault,
  };
  const directory = makeTemporaryDirectory();
  const sandbox = await start({ ...config, directory }).catch((error: unknown) => {
    removeTemporaryDirectory(directory);
    throw error;
  });
  const { baseUrl, controlUrl, credentials } = sandbox;
  const control = controlClient({ controlUrl, controlToken: null });
  const clock = async (body: object) => void (await control.post("/clock", body, { timeoutMs: ADVANCE_TIMEOUT_MS }));
  if (options.frozen) await clock({ freeze: true });

  return {
    baseUrl,
    controlUrl,
    apiKey: credentials.api_key,
    apiSecret: credentials.api_secret,
    paymentAccountId: credentials.payment_account_id,
    headers: { "X-API-Key": credentials.api_key, "X-API-Secret": credentials.api_secret },
    rules: {
      add: async (...rules) => void (await control.post("/rules", { rules })),
      clear: async () => void (await control.delete("/rules")),
    },
    faults: {
      set: async (faults, seed) =>
        Number((await control.put("/faults", { faults, ...(seed !== undefined && { seed }) })).seed),
      clear: async () => void (await control.delete("/faults")),
    },
    webhook: webhookOf(control),
    clock: {
      freeze: () => clock({ freeze: true }),
      advance: (duration) => clock({ advance: duration }),
      resume: () => clock({ resume: true }),
    },
    answer: async (checkoutRequestId, answer) =>
      transactionOf(await control.post(`/prompts/${encodeURIComponent(checkoutRequestId)}/answer`, answer)),
    wait: async (payment, until = "final", timeout = "10s") =>
      transactionOf(
        await control.post(
          "/wait",
          {
            ...("reference" in payment
              ? { reference: payment.reference }
              : { checkout_request_id: payment.checkoutRequestId }),
            until,
            timeout,
          },
          { timeoutMs: parseDuration(timeout, "timeout") + ANSWER_GRACE_MS, lookWith: null },
        ),
      ),
    requests: () => readPages<RequestRecord>(control, "/requests", "requests"),
    audit: async () => (await control.get("/audit", {})).findings as Finding[],
    snapshot: async (name) => void (await control.put(`/snapshots/${encodeURIComponent(name)}`, {})),
    restore: async (name) => void (await control.post(`/snapshots/${encodeURIComponent(name)}/restore`, {})),
    reset: async () => void (await control.post("/reset", {})),
    async stop() {
      await sandbox.stop();
      removeTemporaryDirectory(directory);
    },
  };
}

function readAccept(accept: string): Accept {
  if (accept === "strict" || accept === "lenient") return accept;
  throw invalid(`must be strict or lenient${whatCame(accept)}`);
}

function basePathsOf({ basePath }: NetworkOptions): BasePaths {
  return basePath === undefined ? BASE_PATHS : [checked("basePath", () => readBasePath(basePath))];
}

/** Reads an option as the command line does, and names it in the refusal. */
function checked<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw invalid(`${name}: ${(error as Error).message}`);
  }
}

const transactionOf = (answer: Answer): TransactionRecord => answer.transaction as TransactionRecord;
