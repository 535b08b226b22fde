import { OUTCOMES } from "../../network/outcomes.ts";
import { compactStory } from "./compact-requests.ts";
import type { Area, Tool } from "./row.ts";

/** Payments: the list, the story of each, how to start one and to wait for it. */

/** What an assistant does about an unknown payment. */
export const FIND_PAYMENT =
  "The ids are in list_payments; a refused request has no payment: see audit with action requests";

const OUTCOME_NAMES = OUTCOMES.filter(({ name }) => name !== "manual").map(
  ({ name, meaning }) => `${name} (${meaning})`,
);

const START: Tool = {
  name: "start_payment",
  use: "Starts a test payment that ends as outcome says; then wait_for_payment. Faults strike only the requests of programs.",
  means: {
    payment_account_id: "the account that gets the money",
    description: "what is paid for",
    kind: "who makes the payment; api: a program",
    outcome: `how the payment ends: ${OUTCOME_NAMES.join(", ")}; or manual: it stays pending until you answer it with the tool customer or the prompt expires, to see what the program does meanwhile. With a time: completed; after=10s. Left out: the rules decide`,
  },
};

const WAIT: Tool = {
  name: "wait_for_payment",
  use: "Waits until a payment has ended, or has a status.",
  means: {
    until: "the status to wait for; final: any but pending",
    timeout: "in real time, also while the clock is frozen, such as 30s",
  },
};

const EXPLAIN: Tool = {
  name: "explain_payment",
  use: "How one payment ended and why, what to do, and each poll. Give its id, reference or number.",
  means: { number: "of the transaction: its id in lists" },
};

const LIST: Tool = {
  name: "list_payments",
  use: "Lists payments. search: the start of a phone or reference.",
  means: {
    page: "counts from 1, the newest payments first",
    merchant_id: "whose payments; left out: the first merchant's",
  },
};

export const PAYMENT_AREAS: readonly Area[] = [
  {
    load: async () => (await import("../payments.ts")).PAYMENT_CALLS,
    rows: {
      "/payments": {
        POST: {
          summary: "Start a test payment of any kind",
          actions: [
            {
              of: START,
              name: "start",
              usual: ({ paymentAccountId }) => ({ payment_account_id: paymentAccountId ?? 1, kind: "api" }),
            },
          ],
        },
      },
      "/transactions/CHECKOUT_REQUEST_ID": {
        GET: {
          summary: "One payment from its beginning to its end",
          actions: [
            {
              of: EXPLAIN,
              name: "explain",
              id: "checkout_request_id",
              otherIds: { reference: { by: "reference" }, number: { by: "number" } },
              compact: compactStory,
              next: { 404: FIND_PAYMENT },
            },
          ],
        },
      },
      "/transactions": {
        GET: {
          summary: "A merchant's transactions, newest first",
          actions: [{ of: LIST, name: "list", alsoNamed: { reference: "search", phone: "search" } }],
        },
      },
    },
  },
  {
    load: async () => (await import("../wait.ts")).WAIT_CALLS,
    rows: {
      "/wait": {
        POST: {
          summary: "Wait until a payment has a status; 408 at the time-out, 409 if it has ended otherwise",
          actions: [{ of: WAIT, name: "wait", waits: true, next: { 404: FIND_PAYMENT } }],
        },
      },
    },
  },
  {
    load: async () => (await import("../export.ts")).EXPORT_CALLS,
    rows: {
      "/transactions.csv": {
        GET: {
          summary: "What the filters select of a merchant's transactions, newest first, as CSV for a spreadsheet",
        },
      },
    },
  },
];
