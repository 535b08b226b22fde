import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import type { Target } from "../client/target.ts";
import { compactRequests } from "./compact.ts";

/** The tools of `momo mcp`. Each action is a call of the control API (`sandbox/control/calls.ts`), which has its schemas. */

export interface Tool {
  /** When to use it. */
  readonly use: string;
  /** By name. Of several, the argument `action` names one; if it is left out, it is the first. */
  readonly actions: Readonly<Record<string, Action>>;
  /** What its arguments and their members mean to an assistant, instead of the description that the schema of the call has. */
  readonly means?: Readonly<Record<string, string>>;
  /** Whether it removes or replaces what is there. */
  readonly destroys?: true;
}

export interface Action {
  /** Its method and its path, in which capitals stand for an id. */
  readonly call: readonly [method: "GET" | "POST" | "PUT" | "DELETE", path: string];
  /** The argument with the id. */
  readonly id?: string;
  /** Other arguments that may stand for the id, each with what the call is told then. */
  readonly otherIds?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Members that the action itself stands for. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** What an assistant needs of the answer. */
  readonly compact?: (answer: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** Whether it only waits: it changes nothing, although it is no GET, and takes long. */
  readonly waits?: true;
  /** Arguments that the assistant may leave out, with the values that they then have. */
  readonly usual?: (target: Target) => Readonly<Record<string, unknown>>;
  /** What to do after a refusal with this status, as a tool to call: the control API knows no tools. */
  readonly next?: Readonly<Record<number, string>>;
}

const FIND_ID = "The ids are in list_payments; a refused request has no payment: see audit with action requests";
const FIND_SNAPSHOT = "The names are in state with action snapshots";
const SET_WEBHOOK = "The tool webhook with action set sets one";

/** The actions of settings that are one list. */
const listOf = (path: string, tool: string) =>
  ({
    list: { call: ["GET", path] },
    replace: { call: ["PUT", path] },
    clear: { call: ["DELETE", path] },
    add: { call: ["POST", path] },
    remove: {
      call: ["DELETE", `${path}/ID`],
      id: "id",
      next: { 404: `The ids are in ${tool} with action list` },
    },
  }) satisfies Tool["actions"];

const OUTCOME_NAMES = OUTCOMES.filter(({ name }) => name !== "manual").map(
  ({ name, meaning }) => `${name} (${meaning})`,
);

export const TOOLS: Readonly<Record<string, Tool>> = {
  start_payment: {
    use: "Starts a test payment that ends as outcome says.",
    actions: {
      start: {
        call: ["POST", "/payments"],
        usual: ({ paymentAccountId }) => ({ payment_account_id: paymentAccountId ?? 1, kind: "api" }),
      },
    },
    means: {
      payment_account_id: "the account that gets the money",
      description: "what is paid for",
      kind: "who makes the payment; api: a program",
      outcome: `how the payment ends: ${OUTCOME_NAMES.join(", ")}; or manual: it stays pending until you answer it with the tool customer or the prompt expires, to see what the program does meanwhile. With a time: completed; after=10s. Left out: the rules decide`,
    },
  },
  wait_for_payment: {
    use: "Waits until a payment has ended, or has a status.",
    actions: { wait: { call: ["POST", "/wait"], waits: true, next: { 404: FIND_ID } } },
    means: {
      until: "the status to wait for; final: any but pending",
      timeout: "in real time, also while the clock is frozen, such as 30s",
    },
  },
  explain_payment: {
    use: "How one payment ended and why, what to do, and each poll. Give its id, reference or number.",
    actions: {
      explain: {
        call: ["GET", "/transactions/CHECKOUT_REQUEST_ID"],
        id: "checkout_request_id",
        otherIds: { reference: { by: "reference" }, number: { by: "number" } },
        next: { 404: FIND_ID },
      },
    },
    means: { number: "of the transaction: its id in lists" },
  },
  list_payments: {
    use: "Lists payments. search: the start of a phone or reference.",
    actions: { list: { call: ["GET", "/transactions"] } },
    means: {
      page: "counts from 1, the newest payments first",
      type: "only payments of this kind",
      status: "only payments with this status",
      date_from: "the first day, such as 2026-11-27",
      date_to: "the last day, such as 2026-11-27",
      search: "the start of a phone or reference, or a receipt",
      id: "of a transaction: its number",
      merchant_id: "whose payments; left out: the first merchant's",
    },
  },
  customer: {
    use: "Shows the prompts on phones, answers one (a PIN pays, 0000 is the wrong PIN), and shows the text messages.",
    actions: {
      prompts: { call: ["GET", "/prompts"] },
      answer: {
        call: ["POST", "/prompts/ID/answer"],
        id: "checkout_request_id",
        next: {
          404: FIND_ID,
          409: "How it ended is in explain_payment; start_payment with outcome manual makes one that waits for the tool customer",
        },
      },
      messages: { call: ["GET", "/messages"] },
    },
    means: {
      pin: "what the customer enters: 1234 pays, 0000 is wrong",
      outcome: "what happens instead of a PIN",
    },
  },
  rules: {
    use: "Decides how the next payments end. times: 1 is the next one only.",
    actions: listOf("/rules", "rules"),
    means: {
      id: "of a rule, as list shows it",
      rules: "the first that matches a payment decides how it ends",
      outcome: "how the payment ends",
      match: "which payments; left out: all",
      amount: "in KES",
    },
    destroys: true,
  },
  clock: {
    use: "Stops the clock of the sandbox, moves it forward, or starts it again. What falls due by a move is resolved at once. Only state with action reset or restore sets it back.",
    actions: {
      show: { call: ["GET", "/clock"] },
      set: { call: ["POST", "/clock"] },
      advance: { call: ["POST", "/clock"] },
      freeze: { call: ["POST", "/clock"], fixed: { freeze: true } },
      resume: { call: ["POST", "/clock"], fixed: { resume: true } },
    },
    means: {
      freeze: "stops the clock",
      resume: "lets the clock run again",
      advance: "moves the clock forward, such as 60s",
    },
  },
  faults: {
    use: "Makes the payment API fail: errors, delays, lost answers. For tests of what a client does then.",
    actions: listOf("/faults", "faults"),
    means: {
      id: "of a fault, as list shows it",
      faults: "what goes wrong, in order",
      kind: "what happens to the request",
      probability: "of each request, by chance",
    },
    destroys: true,
  },
  webhook: {
    use: "Sends each final payment to an address, and shows what was sent and answered. The specification has no webhooks.",
    actions: {
      show: { call: ["GET", "/webhook"] },
      set: { call: ["PUT", "/webhook"] },
      test: { call: ["POST", "/webhook/test"], next: { 409: SET_WEBHOOK } },
      resend: { call: ["POST", "/webhook/deliveries/ID/resend"], id: "delivery_id", next: { 409: SET_WEBHOOK } },
      remove: { call: ["DELETE", "/webhook"] },
    },
    means: {
      url: "gets each payment that becomes final, by POST",
      form: "of the message",
      delay: "before each message, such as 5s",
      early: "whether the message comes before the answer to the program",
      delivery_id: "of a delivery that show lists",
    },
    destroys: true,
  },
  audit: {
    use: "Reports what the program under test has done wrong so far, with the right way. Use it after each run. Shows its requests, also those that were refused and have no payment. Payments of start_payment are not the program's: they do not count.",
    actions: {
      report: { call: ["GET", "/audit"], usual: () => ({ over: "true" }) },
      requests: { call: ["GET", "/requests"], compact: compactRequests },
      forget: { call: ["DELETE", "/audit"] },
    },
    destroys: true,
  },
  state: {
    use: "Forgets all payments and settings of the sandbox, or saves and restores them under a name.",
    actions: {
      snapshots: { call: ["GET", "/snapshots"] },
      save: { call: ["PUT", "/snapshots/NAME"], id: "name" },
      restore: { call: ["POST", "/snapshots/NAME/restore"], id: "name", next: { 404: FIND_SNAPSHOT } },
      remove: { call: ["DELETE", "/snapshots/NAME"], id: "name", next: { 404: FIND_SNAPSHOT } },
      reset: { call: ["POST", "/reset"] },
    },
    means: { name: "of the snapshot" },
    destroys: true,
  },
};

/** What arguments of several tools mean. */
export const COMMON_MEANINGS: Readonly<Record<string, string>> = {
  phone: "of the customer, such as 0712345678",
  reference: "of the order: the shop's own text",
  checkout_request_id: "of the payment: ws_CO_…",
  limit: "how many entries at most",
  after: "only entries after this id",
  before: "only entries before this id",
};
