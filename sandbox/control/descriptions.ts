import type { z } from "zod";
import { list, started } from "../../src/http/answers.ts";
import { listTransactionsSchema } from "../../src/http/input.ts";
import { auditQuery, REPORT_TYPES } from "./audit.ts";
import { clockRequest } from "./clock.ts";
import { defaultRequest } from "./default.ts";
import { eventsQuery } from "./events.ts";
import { faultsRequest } from "./faults.ts";
import { phoneQuery } from "./input.ts";
import { testPayment } from "./payments.ts";
import { promptAnswer } from "./prompts.ts";
import { merchantQuery, newAccount, newKey, newMerchant } from "./registry.ts";
import { requestsQuery } from "./requests.ts";
import { resetRequest } from "./reset.ts";
import { rulesRequest } from "./rules.ts";
import * as payments from "./shapes/payments.ts";
import * as registry from "./shapes/registry.ts";
import * as requests from "./shapes/requests.ts";
import * as server from "./shapes/server.ts";
import * as steering from "./shapes/steering.ts";
import { waitRequest } from "./wait.ts";

/** What the OpenAPI description tells of a call. */
export interface CallDescription {
  readonly summary: string;
  /** What it answers with 200, beside `success` and `message`; null where that is no JSON. */
  readonly answer: z.ZodObject | z.ZodRawShape | null;
  readonly query?: readonly z.ZodObject[];
  readonly body?: { readonly schema: z.ZodType; readonly example: unknown; readonly isOptional?: boolean };
  /** The other content types that it can answer with. */
  readonly texts?: readonly string[];
  /** Failures whose answer has more members than others. */
  readonly failures?: Readonly<Record<number, z.ZodType>>;
}

const rulesBody = { schema: rulesRequest, example: [{ outcome: "cancelled", times: 1 }] };
const ofMerchant = [merchantQuery];

/** Each call of the control API, by its path and its method: the schemas are those that it validates with. */
export const DESCRIPTIONS: Readonly<Record<string, Readonly<Record<string, CallDescription>>>> = {
  "/health": {
    GET: {
      summary: "Whether the server serves",
      answer: server.healthAnswer,
      failures: { 503: server.stoppingAnswer },
    },
  },
  "/outcomes": { GET: { summary: "What each test phone does", answer: steering.outcomeList } },
  "/prompts": {
    GET: { summary: "The open prompts, oldest first", query: [phoneQuery], answer: payments.promptList },
  },
  "/prompts/ID/answer": {
    POST: {
      summary: "Answer a prompt as its customer or as the network",
      body: { schema: promptAnswer, example: { pin: "1234" } },
      answer: payments.promptAnswered,
    },
  },
  "/messages": {
    GET: {
      summary: "The last text messages to customers, newest first",
      query: [phoneQuery],
      answer: payments.messageList,
    },
  },
  "/rules": {
    GET: { summary: "The rules in force, in order", answer: steering.ruleList },
    POST: { summary: "Add rules", body: rulesBody, answer: steering.ruleList },
    PUT: { summary: "Replace all rules", body: rulesBody, answer: steering.ruleList },
    DELETE: { summary: "Remove all rules", answer: steering.ruleList },
  },
  "/default": {
    GET: { summary: "What prompts do where nothing else decides", answer: steering.defaultAnswer },
    PUT: {
      summary: "Change what prompts do where nothing else decides, until a reset",
      body: { schema: defaultRequest, example: { outcome: "completed", after: "10s" } },
      answer: steering.defaultAnswer,
    },
  },
  "/clock": {
    GET: { summary: "What time it is for momo", answer: steering.clockAnswer },
    POST: {
      summary: "Stop the clock, move it forward, or let it go on",
      body: { schema: clockRequest, example: { advance: "90s" } },
      answer: steering.clockAnswer,
    },
  },
  "/wait": {
    POST: {
      summary: "Wait until a payment has a status; 408 at the time-out",
      body: { schema: waitRequest, example: { reference: "ORDER-1", until: "final", timeout: "10s" } },
      answer: payments.waitAnswer,
    },
  },
  "/faults": {
    GET: { summary: "The faults in force, and their seed", answer: steering.faultList },
    PUT: {
      summary: "Replace all faults",
      body: { schema: faultsRequest, example: { faults: [{ kind: "error", status: 503, probability: 0.1 }] } },
      answer: steering.faultList,
    },
    DELETE: { summary: "Remove all faults", answer: steering.faultList },
  },
  "/requests": {
    GET: {
      summary: "The last calls of the merchant API, oldest first",
      query: [requestsQuery],
      answer: requests.requestPage,
      texts: ["text/plain"],
    },
  },
  "/audit": {
    GET: {
      summary: "What clients have done wrong",
      query: [auditQuery],
      answer: requests.auditAnswer,
      texts: [...new Set(Object.values(REPORT_TYPES).map((type) => type.replace(/;.*$/, "")))],
    },
    DELETE: { summary: "Forget what clients have done wrong", answer: {} },
  },
  "/events": {
    GET: {
      summary: "What happens, as it happens: server-sent events",
      query: [eventsQuery],
      answer: null,
      texts: ["text/event-stream"],
    },
  },
  "/transactions": {
    GET: {
      summary: "A merchant's transactions, newest first",
      query: [listTransactionsSchema, ...ofMerchant],
      answer: list.full,
    },
  },
  "/transactions/CHECKOUT_REQUEST_ID": {
    GET: { summary: "One payment from its beginning to its end", answer: payments.story },
  },
  "/payments": {
    POST: {
      summary: "Start a test payment of any kind",
      body: {
        schema: testPayment,
        example: { payment_account_id: 1, phone: "0712345678", amount: 100, kind: "web" },
      },
      answer: started.full,
    },
  },
  "/merchants": {
    GET: { summary: "All merchants", answer: registry.merchantList },
    POST: {
      summary: "Register a merchant",
      body: { schema: newMerchant, example: { name: "Another Shop" } },
      answer: registry.merchant,
    },
  },
  "/accounts": {
    GET: { summary: "A merchant's payment accounts", query: ofMerchant, answer: registry.accountList },
    POST: {
      summary: "Open a payment account",
      body: { schema: newAccount, example: { name: "Till 2", fee: "1.5%+10" } },
      answer: registry.account,
    },
  },
  "/keys": {
    GET: { summary: "A merchant's keys, without their secrets", query: ofMerchant, answer: registry.keyList },
    POST: {
      summary: "Make a key; its secret is shown this once",
      body: { schema: newKey, example: { label: "staging" } },
      answer: registry.keyMade,
    },
  },
  "/keys/API_KEY": { DELETE: { summary: "Revoke a key", answer: registry.keyRevoked } },
  "/server": { GET: { summary: "Where the server is, and how it was started", answer: server.serverAnswer } },
  "/reset": {
    POST: {
      summary: "Forget transactions, rules, faults, log and clock; merchants, accounts and keys stay",
      body: { schema: resetRequest, example: {}, isOptional: true },
      answer: {},
    },
  },
};
