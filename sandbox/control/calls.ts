import { started } from "../../src/http/answers.ts";
import { listTransactionsSchema } from "../../src/http/input.ts";
import { serveDocument } from "../../src/http/reply.ts";
import { originOf } from "../../src/http/request.ts";
import { auditQuery, forgetAudit, REPORT_TYPES, showAudit } from "./audit.ts";
import { clockRequest, setClock, showClock } from "./clock.ts";
import type { DescribedCall } from "./context.ts";
import { defaultRequest, replaceDefault, showDefault } from "./default.ts";
import { events, eventsQuery } from "./events.ts";
import { faultsRequest, listFaults, removeFaults, replaceFaults } from "./faults.ts";
import { health } from "./health.ts";
import { emptyBody, pageQuery, phoneQuery } from "./input.ts";
import { listMessages } from "./messages.ts";
import { METRICS_TYPE, metrics } from "./metrics.ts";
import { describeControl } from "./openapi.ts";
import { outcomes } from "./outcomes.ts";
import { startTestPayment, testPayment } from "./payments.ts";
import { answerPrompt, listPrompts, promptAnswer } from "./prompts.ts";
import { ready } from "./ready.ts";
import {
  createAccount,
  createKey,
  createMerchant,
  listAccounts,
  listKeys,
  listMerchants,
  merchantQuery,
  newAccount,
  newKey,
  newMerchant,
  revokeKey,
} from "./registry.ts";
import { replayRequest } from "./replay.ts";
import { listRequests, requestsQuery } from "./requests.ts";
import { reset } from "./reset.ts";
import { appendRules, listRules, removeRules, replaceRules, rulesRequest } from "./rules.ts";
import { showServer } from "./server.ts";
import * as payments from "./shapes/payments.ts";
import * as registry from "./shapes/registry.ts";
import * as requests from "./shapes/requests.ts";
import * as server from "./shapes/server.ts";
import * as steering from "./shapes/steering.ts";
import * as webhook from "./shapes/webhook.ts";
import { listSnapshots, removeSnapshot, restoreSnapshot, saveSnapshot } from "./snapshots.ts";
import { listTransactions, tellTransaction } from "./transactions.ts";
import { wait, waitRequest } from "./wait.ts";
import { removeWebhook, replaceWebhook, resendDelivery, showWebhook, webhookRequest } from "./webhook.ts";

const rulesBody = { schema: rulesRequest, example: [{ outcome: "cancelled", times: 1 }] };
const noBody = { schema: emptyBody, example: {}, isOptional: true };
const ofMerchant = [merchantQuery];

const showHealth: DescribedCall = {
  call: health,
  summary: "Whether the server serves",
  answer: server.healthAnswer,
  failures: { 503: server.stoppingAnswer },
};

const showReady: DescribedCall = {
  call: ready,
  summary: "Whether the server takes payments, for a load balancer",
  answer: server.readyAnswer,
  failures: { 503: server.notReadyAnswer },
};

/**
 * Each call of the control API, by its path below `/_momo` and its method; capitals stand for an id, one part of the
 * path. The schemas are those that the call validates with.
 */
export const CALLS: Readonly<Record<string, Readonly<Record<string, DescribedCall>>>> = {
  "/health": { GET: showHealth, HEAD: showHealth },
  "/ready": { GET: showReady, HEAD: showReady },
  "/metrics": {
    GET: {
      call: metrics,
      summary: "Counts and times for Prometheus",
      answer: null,
      texts: [METRICS_TYPE.replace(/;.*$/, "")],
    },
  },
  "/outcomes": { GET: { call: outcomes, summary: "What each test phone does", answer: steering.outcomeList } },
  "/prompts": {
    GET: {
      call: listPrompts,
      summary: "The open prompts, oldest first",
      query: [phoneQuery],
      answer: payments.promptList,
    },
  },
  "/prompts/ID/answer": {
    POST: {
      call: answerPrompt,
      summary: "Answer a prompt as its customer or as the network",
      body: { schema: promptAnswer, example: { pin: "1234" } },
      answer: payments.promptAnswered,
    },
  },
  "/messages": {
    GET: {
      call: listMessages,
      summary: "The last text messages to customers, newest first",
      query: [phoneQuery],
      answer: payments.messageList,
    },
  },
  "/rules": {
    GET: { call: listRules, summary: "The rules in force, in order", answer: steering.ruleList },
    POST: { call: appendRules, summary: "Add rules", body: rulesBody, answer: steering.ruleList },
    PUT: { call: replaceRules, summary: "Replace all rules", body: rulesBody, answer: steering.ruleList },
    DELETE: { call: removeRules, summary: "Remove all rules", answer: steering.ruleList },
  },
  "/default": {
    GET: { call: showDefault, summary: "What prompts do if nothing else decides", answer: steering.defaultAnswer },
    PUT: {
      call: replaceDefault,
      summary: "Change what prompts do if nothing else decides, until a reset",
      body: { schema: defaultRequest, example: { outcome: "completed", after: "10s" } },
      answer: steering.defaultAnswer,
    },
  },
  "/clock": {
    GET: { call: showClock, summary: "The time of the sandbox", answer: steering.clockAnswer },
    POST: {
      call: setClock,
      summary: "Stop the clock, move it forward, or let it go on",
      body: { schema: clockRequest, example: { advance: "90s" } },
      answer: steering.clockAnswer,
    },
  },
  "/wait": {
    POST: {
      call: wait,
      summary: "Wait until a payment has a status; 408 at the time-out",
      body: { schema: waitRequest, example: { reference: "ORDER-1", until: "final", timeout: "10s" } },
      answer: payments.waitAnswer,
    },
  },
  "/faults": {
    GET: { call: listFaults, summary: "The faults in force, and their seed", answer: steering.faultList },
    PUT: {
      call: replaceFaults,
      summary: "Replace all faults",
      body: { schema: faultsRequest, example: { faults: [{ kind: "error", status: 503, probability: 0.1 }] } },
      answer: steering.faultList,
    },
    DELETE: { call: removeFaults, summary: "Remove all faults", answer: steering.faultList },
  },
  "/webhook": {
    GET: {
      call: showWebhook,
      summary: "The webhook, and what was delivered, oldest first",
      query: [pageQuery],
      answer: webhook.deliveryPage,
    },
    PUT: {
      call: replaceWebhook,
      summary: "Send each payment that becomes final to an address",
      body: { schema: webhookRequest, example: { url: "http://127.0.0.1:8080/webhook", times: 2, delay: "1s" } },
      answer: webhook.webhookAnswer,
    },
    DELETE: { call: removeWebhook, summary: "Remove the webhook", answer: webhook.webhookAnswer },
  },
  "/webhook/deliveries/ID/resend": {
    POST: { call: resendDelivery, summary: "Send a delivery again", answer: webhook.deliveryAnswer },
  },
  "/requests": {
    GET: {
      call: listRequests,
      summary: "The last calls of the merchant API, oldest first",
      query: [requestsQuery],
      answer: requests.requestPage,
      texts: ["text/plain"],
    },
  },
  "/requests/ID/replay": {
    POST: {
      call: replayRequest,
      summary: "Send a logged call to the merchant API again",
      body: noBody,
      answer: requests.replayAnswer,
    },
  },
  "/audit": {
    GET: {
      call: showAudit,
      summary: "What clients have done wrong",
      query: [auditQuery],
      answer: requests.auditAnswer,
      texts: [...new Set(Object.values(REPORT_TYPES).map((type) => type.replace(/;.*$/, "")))],
    },
    DELETE: { call: forgetAudit, summary: "Forget what clients have done wrong", answer: {} },
  },
  "/events": {
    GET: {
      call: events,
      summary: "What happens, as it happens: server-sent events",
      query: [eventsQuery],
      answer: null,
      texts: ["text/event-stream"],
    },
  },
  "/transactions": {
    GET: {
      call: listTransactions,
      summary: "A merchant's transactions, newest first",
      query: [listTransactionsSchema, ...ofMerchant],
      answer: payments.ownedList.shape,
    },
  },
  "/transactions/CHECKOUT_REQUEST_ID": {
    GET: { call: tellTransaction, summary: "One payment from its beginning to its end", answer: payments.story },
  },
  "/payments": {
    POST: {
      call: startTestPayment,
      summary: "Start a test payment of any kind",
      body: {
        schema: testPayment,
        example: { payment_account_id: 1, phone: "0712345678", amount: 100, kind: "web" },
      },
      answer: started.full,
    },
  },
  "/merchants": {
    GET: { call: listMerchants, summary: "All merchants", answer: registry.merchantList },
    POST: {
      call: createMerchant,
      summary: "Register a merchant",
      body: { schema: newMerchant, example: { name: "Another Shop" } },
      answer: registry.merchant,
    },
  },
  "/accounts": {
    GET: {
      call: listAccounts,
      summary: "A merchant's payment accounts",
      query: ofMerchant,
      answer: registry.accountList,
    },
    POST: {
      call: createAccount,
      summary: "Open a payment account",
      body: { schema: newAccount, example: { name: "Till 2", fee: "1.5%+10" } },
      answer: registry.account,
    },
  },
  "/keys": {
    GET: {
      call: listKeys,
      summary: "A merchant's keys, without their secrets",
      query: ofMerchant,
      answer: registry.keyList,
    },
    POST: {
      call: createKey,
      summary: "Make a key; its secret is shown this once",
      body: { schema: newKey, example: { label: "staging" } },
      answer: registry.keyMade,
    },
  },
  "/keys/API_KEY": { DELETE: { call: revokeKey, summary: "Revoke a key", answer: registry.keyRevoked } },
  "/server": {
    GET: { call: showServer, summary: "Where the server is, and how it was started", answer: server.serverAnswer },
  },
  "/snapshots": { GET: { call: listSnapshots, summary: "The snapshots", answer: steering.snapshotList } },
  "/snapshots/NAME": {
    PUT: { call: saveSnapshot, summary: "Save the state", body: noBody, answer: steering.snapshotAnswer },
    DELETE: { call: removeSnapshot, summary: "Remove a snapshot", answer: {} },
  },
  "/snapshots/NAME/restore": {
    POST: { call: restoreSnapshot, summary: "Restore the state", body: noBody, answer: steering.snapshotAnswer },
  },
  "/reset": {
    POST: {
      call: reset,
      summary: "Forget transactions, rules, faults, log and clock; merchants, accounts and keys stay",
      body: noBody,
      answer: {},
    },
  },
  "/openapi.json": {
    GET: {
      call: async (request, { version }) =>
        serveDocument(describeControl(CALLS, { origin: originOf(request), version })),
      summary: "This description",
      answer: null,
    },
  },
};
