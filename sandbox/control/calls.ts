import { started } from "../../src/http/answers.ts";
import { listTransactionsSchema } from "../../src/http/input.ts";
import { serveDocument } from "../../src/http/reply.ts";
import { originOf } from "../../src/http/request.ts";
import { auditQuery, forgetAudit, REPORT_TYPES, showAudit } from "./audit.ts";
import { clockRequest, setClock, showClock } from "./clock.ts";
import type { ControlCall, DescribedCall } from "./context.ts";
import { defaultRequest, outcomes, replaceDefault, showDefault } from "./default.ts";
import { events, eventsQuery } from "./events.ts";
import { faultsRequest, listFaults, removeFaults, replaceFaults } from "./faults.ts";
import { emptyBody, pageQuery, phoneQuery } from "./input.ts";
import { listMessages } from "./messages.ts";
import { METRICS_TYPE, metrics } from "./metrics.ts";
import { describeControl } from "./openapi.ts";
import { startTestPayment, testPayment } from "./payments.ts";
import { health, ready } from "./probes.ts";
import { answerPrompt, listPrompts, promptAnswer } from "./prompts.ts";
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
import { listRequests, replayRequest, requestsQuery } from "./requests.ts";
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
import { removeWebhook, replaceWebhook, resendDelivery, showWebhook, testWebhook, webhookRequest } from "./webhook.ts";

const rulesBody = { schema: rulesRequest, example: [{ outcome: "cancelled", times: 1 }] };
const noBody = { schema: emptyBody, example: {}, isOptional: true };
const ofMerchant = [merchantQuery];

type More = Omit<DescribedCall, "call" | "summary" | "answer">;

const described = (
  call: ControlCall,
  summary: string,
  answer: DescribedCall["answer"],
  more: More = {},
): DescribedCall => ({ call, summary, answer, ...more });

const showHealth = described(health, "Whether the server serves", server.healthAnswer, {
  failures: { 503: server.stoppingAnswer },
});

const showReady = described(ready, "Whether the server accepts payments, for a load balancer", server.readyAnswer, {
  failures: { 503: server.notReadyAnswer },
});

/**
 * Each call of the control API, by its path below `/_momo` and its method; capitals stand for an id, one part of the
 * path. Each call validates its input with the same schemas.
 */
export const CALLS: Readonly<Record<string, Readonly<Record<string, DescribedCall>>>> = {
  "/health": { GET: showHealth, HEAD: showHealth },
  "/ready": { GET: showReady, HEAD: showReady },
  "/metrics": {
    GET: described(metrics, "Counts and times for Prometheus", null, { texts: [METRICS_TYPE.replace(/;.*$/, "")] }),
  },
  "/outcomes": { GET: described(outcomes, "What each test phone does", steering.outcomeList) },
  "/prompts": {
    GET: described(listPrompts, "The open prompts, oldest first", payments.promptList, { query: [phoneQuery] }),
  },
  "/prompts/ID/answer": {
    POST: described(answerPrompt, "Answer a prompt as its customer or as the network", payments.promptAnswered, {
      body: { schema: promptAnswer, example: { pin: "1234" } },
    }),
  },
  "/messages": {
    GET: described(listMessages, "The last text messages to customers, newest first", payments.messageList, {
      query: [phoneQuery],
    }),
  },
  "/rules": {
    GET: described(listRules, "The rules in force, in order", steering.ruleList),
    POST: described(appendRules, "Add rules", steering.ruleList, { body: rulesBody }),
    PUT: described(replaceRules, "Replace all rules", steering.ruleList, { body: rulesBody }),
    DELETE: described(removeRules, "Remove all rules", steering.ruleList),
  },
  "/default": {
    GET: described(showDefault, "What prompts do if nothing else decides", steering.defaultAnswer),
    PUT: described(
      replaceDefault,
      "Change what prompts do if nothing else decides, until a reset",
      steering.defaultAnswer,
      { body: { schema: defaultRequest, example: { outcome: "completed", after: "10s" } } },
    ),
  },
  "/clock": {
    GET: described(showClock, "The time of the sandbox", steering.clockAnswer),
    POST: described(setClock, "Stop the clock, move it forward, or start it again", steering.clockAnswer, {
      body: { schema: clockRequest, example: { advance: "90s" } },
    }),
  },
  "/wait": {
    POST: described(wait, "Wait until a payment has a status; 408 at the time-out", payments.waitAnswer, {
      body: { schema: waitRequest, example: { reference: "ORDER-1", until: "final", timeout: "10s" } },
    }),
  },
  "/faults": {
    GET: described(listFaults, "The faults in force, and their seed", steering.faultList),
    PUT: described(replaceFaults, "Replace all faults", steering.faultList, {
      body: { schema: faultsRequest, example: { faults: [{ kind: "error", status: 503, probability: 0.1 }] } },
    }),
    DELETE: described(removeFaults, "Remove all faults", steering.faultList),
  },
  "/webhook": {
    GET: described(showWebhook, "The webhook and its deliveries, oldest first", webhook.deliveryPage, {
      query: [pageQuery],
    }),
    PUT: described(replaceWebhook, "Send each payment that becomes final to an address", webhook.webhookAnswer, {
      body: { schema: webhookRequest, example: { url: "http://127.0.0.1:8080/webhook", times: 2, delay: "1s" } },
    }),
    DELETE: described(removeWebhook, "Remove the webhook", webhook.webhookAnswer),
  },
  "/webhook/test": {
    POST: described(testWebhook, "Send a sample payment to the webhook once", webhook.testAnswer, { body: noBody }),
  },
  "/webhook/deliveries/ID/resend": { POST: described(resendDelivery, "Send a delivery again", webhook.deliveryAnswer) },
  "/requests": {
    GET: described(listRequests, "The last requests to the merchant API, oldest first", requests.requestPage, {
      query: [requestsQuery],
      texts: ["text/plain"],
    }),
  },
  "/requests/ID/replay": {
    POST: described(replayRequest, "Send a logged request to the merchant API again", requests.replayAnswer, {
      body: noBody,
    }),
  },
  "/audit": {
    GET: described(showAudit, "What clients have done wrong", requests.auditAnswer, {
      query: [auditQuery],
      texts: [...new Set(Object.values(REPORT_TYPES).map((type) => type.replace(/;.*$/, "")))],
    }),
    DELETE: described(forgetAudit, "Remove the findings of the audit", {}),
  },
  "/events": {
    GET: described(events, "Events as they happen: server-sent events", null, {
      query: [eventsQuery],
      texts: ["text/event-stream"],
    }),
  },
  "/transactions": {
    GET: described(listTransactions, "A merchant's transactions, newest first", payments.ownedList.shape, {
      query: [listTransactionsSchema, ...ofMerchant],
    }),
  },
  "/transactions/CHECKOUT_REQUEST_ID": {
    GET: described(tellTransaction, "One payment from its beginning to its end", payments.story),
  },
  "/payments": {
    POST: described(startTestPayment, "Start a test payment of any kind", started.full, {
      body: { schema: testPayment, example: { payment_account_id: 1, phone: "0712345678", amount: 100, kind: "web" } },
    }),
  },
  "/merchants": {
    GET: described(listMerchants, "All merchants", registry.merchantList),
    POST: described(createMerchant, "Register a merchant", registry.merchant, {
      body: { schema: newMerchant, example: { name: "Another Shop" } },
    }),
  },
  "/accounts": {
    GET: described(listAccounts, "A merchant's payment accounts", registry.accountList, { query: ofMerchant }),
    POST: described(createAccount, "Open a payment account", registry.account, {
      body: { schema: newAccount, example: { name: "Till 2", fee: "1.5%+10" } },
    }),
  },
  "/keys": {
    GET: described(listKeys, "A merchant's keys, without their secrets", registry.keyList, { query: ofMerchant }),
    POST: described(createKey, "Make a key; its secret is shown only once", registry.keyMade, {
      body: { schema: newKey, example: { label: "staging" } },
    }),
  },
  "/keys/API_KEY": { DELETE: described(revokeKey, "Revoke a key", registry.keyRevoked) },
  "/server": { GET: described(showServer, "Where the server is, and how it was started", server.serverAnswer) },
  "/snapshots": { GET: described(listSnapshots, "The snapshots", steering.snapshotList) },
  "/snapshots/NAME": {
    PUT: described(saveSnapshot, "Save the state", steering.snapshotAnswer, { body: noBody }),
    DELETE: described(removeSnapshot, "Remove a snapshot", {}),
  },
  "/snapshots/NAME/restore": {
    POST: described(restoreSnapshot, "Restore the state", steering.snapshotAnswer, { body: noBody }),
  },
  "/reset": {
    POST: described(
      reset,
      "Remove transactions, rules, faults and log, and reset the clock; merchants, accounts and keys stay",
      {},
      { body: noBody },
    ),
  },
  "/openapi.json": {
    GET: described(
      async (request, { version }) => serveDocument(describeControl(CALLS, { origin: originOf(request), version })),
      "This description",
      null,
    ),
  },
};
