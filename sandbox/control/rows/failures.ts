import { describeFault } from "../../faults/kinds.ts";
import { WEBHOOK_FORMS } from "../../webhooks/settings.ts";
import type { FaultInForce } from "../shapes/faults.ts";
import type { DeliveryOnWire, WebhookSettings } from "../shapes/webhook.ts";
import type { Area, CallCommand, Column, Tool, Word } from "./row.ts";

/** What goes wrong for the client: faults of the merchant API, and the webhook. */

const FAULT_COLUMNS: readonly Column<FaultInForce>[] = [
  { name: "id", align: "right" },
  "kind",
  { name: "path", cell: ({ path }) => path ?? "every request" },
  { name: "does", cell: describeFault },
  { name: "probability", align: "right" },
  { name: "times left", align: "right", cell: ({ times }) => String(times ?? "always") },
];

const FAULTS: Word = {
  name: "faults",
  says: "list, add and clear failures of the merchant API",
  prints: "the ids",
  shows: {
    list: "faults",
    quiet: "id",
    columns: FAULT_COLUMNS,
    next: "momo faults add error --path /status.php --status 503 --times 2",
  },
  page: "steering",
};

/** Its argument and its options are those of the kinds. */
const addFault: CallCommand = {
  of: FAULTS,
  name: "add",
  says: "make requests of the merchant API fail",
  quiet: ({ id }: { readonly id: number }) => id,
  examples: [
    ["momo faults add error --path /status.php --status 503 --times 2", "two bad polls"],
    ["momo faults add disconnect --path /stkpush.php --times 1", "one answer is lost"],
    ["momo faults add delay --delay 5s --probability 0.2", "one request in five is slow"],
  ],
};

const FAULTS_TOOL: Tool = {
  name: "faults",
  use: "Makes the payment API fail: errors, delays, lost answers. For tests of what a client does then.",
  means: {
    id: "of a fault, as list shows it",
    faults: "what goes wrong, in order",
    kind: "what happens to the request",
    probability: "of each request, by chance",
  },
  destroys: true,
};

const DELIVERY_COLUMNS: readonly Column<DeliveryOnWire>[] = [
  { name: "id", align: "right" },
  { name: "payment", cell: ({ checkout_request_id }) => checkout_request_id },
  "state",
  { name: "attempts", align: "right", cell: ({ attempts }) => String(attempts.length) },
  { name: "due", cell: ({ due_at }) => due_at },
  { name: "answer", cell: ({ attempts }) => String(attempts.at(-1)?.problem ?? attempts.at(-1)?.status ?? "") },
];

const WEBHOOKS: Word = {
  name: "webhooks",
  says: "set and try a webhook; list and resend what was sent",
  prints: "the ids",
  shows: {
    list: "deliveries",
    quiet: "id",
    columns: DELIVERY_COLUMNS,
    next: "momo webhooks set http://127.0.0.1:3000/",
    tells: true,
  },
  page: "webhooks",
};

interface WebhookAnswer {
  readonly webhook: WebhookSettings | null;
}

const setWebhook: CallCommand = {
  of: WEBHOOKS,
  name: "set",
  says: "send each payment that becomes final to an address",
  argument: { name: "url", means: "the receiver", value: "url" },
  options: [
    { flag: "--form <form>", means: "of the message", choices: WEBHOOK_FORMS },
    {
      flag: "--template <file>",
      means: 'the message as JSON, in which "{{status}}" and others are values',
      value: "path",
    },
    { flag: "--times <number>", means: "how often each message is sent; 0: never (default: 1)", value: "copies" },
    { flag: "--delay <duration>", means: "before each message, such as 5s", value: "duration" },
    { flag: "--early", means: "before the answer to the push; the receiver must take two requests at a time" },
  ],
  shows: "done",
  quiet: ({ webhook }: WebhookAnswer) => webhook?.url,
  examples: [["momo webhooks set http://127.0.0.1:8000/paid", "send each payment that ends"]],
};

const resend: CallCommand = {
  of: WEBHOOKS,
  name: "resend",
  says: "send one again, as a new delivery",
  argument: { name: "id", means: "of the delivery, as momo webhooks list shows it", value: "id" },
  shows: "done",
  quiet: ({ delivery }: { readonly delivery: DeliveryOnWire }) => delivery.id,
  examples: [["momo webhooks resend 3", "send delivery 3 again"]],
};

const WEBHOOK: Tool = {
  name: "webhook",
  use: "Sends each final payment to an address, and shows what was sent and answered. The specification has no webhooks.",
  means: {
    url: "gets each payment that becomes final, by POST",
    form: "of the message",
    delay: "before each message, such as 5s",
    early: "whether the message comes before the answer to the program",
    delivery_id: "of a delivery that show lists",
  },
  destroys: true,
};

const SET_WEBHOOK = "The tool webhook with action set sets one";

export const FAILURE_AREAS: readonly Area[] = [
  {
    load: async () => (await import("../faults.ts")).FAULT_CALLS,
    rows: {
      "/faults": {
        GET: {
          summary: "The faults in force, and their seed",
          part: "faults",
          commands: [{ of: FAULTS, name: "list", says: "show the faults in force" }],
          actions: [{ of: FAULTS_TOOL, name: "list" }],
        },
        POST: {
          summary: "Add faults",
          part: "faults",
          commands: [addFault],
          actions: [{ of: FAULTS_TOOL, name: "add" }],
        },
        PUT: { summary: "Replace all faults", part: "faults" },
        DELETE: {
          summary: "Remove all faults",
          part: "faults",
          commands: [{ of: FAULTS, name: "clear", says: "remove all faults" }],
          actions: [{ of: FAULTS_TOOL, name: "clear" }],
        },
      },
      "/faults/ID": {
        DELETE: {
          summary: "Remove one fault",
          part: "faults",
          commands: [
            {
              of: FAULTS,
              name: "remove",
              says: "remove one fault",
              argument: { name: "id", means: "as momo faults list shows it", value: "id" },
            },
          ],
          actions: [
            { of: FAULTS_TOOL, name: "remove", id: "id", next: { 404: "The ids are in faults with action list" } },
          ],
        },
      },
    },
  },
  {
    load: async () => (await import("../webhook.ts")).WEBHOOK_CALLS,
    rows: {
      "/webhook": {
        GET: {
          summary: "The webhook and its deliveries, oldest first",
          part: "webhook",
          commands: [{ of: WEBHOOKS, name: "list", says: "list what was sent to the webhook, oldest first" }],
          actions: [{ of: WEBHOOK, name: "show" }],
        },
        PUT: {
          summary: "Send each payment that becomes final to an address",
          part: "webhook",
          commands: [setWebhook],
          actions: [{ of: WEBHOOK, name: "set" }],
        },
        DELETE: {
          summary: "Remove the webhook",
          part: "webhook",
          commands: [
            {
              of: WEBHOOKS,
              name: "clear",
              says: "remove the webhook",
              shows: "done",
              quiet: ({ webhook }: WebhookAnswer) => webhook?.url ?? "none",
            },
          ],
          actions: [{ of: WEBHOOK, name: "remove" }],
        },
      },
      "/webhook/test": {
        POST: {
          summary: "Send a sample payment to the webhook once",
          commands: [
            { of: WEBHOOKS, name: "test", says: "send a sample payment once, and show what the receiver answers" },
          ],
          actions: [{ of: WEBHOOK, name: "test", next: { 409: SET_WEBHOOK } }],
        },
      },
      "/webhook/deliveries/ID/resend": {
        POST: {
          summary: "Send a delivery again",
          commands: [resend],
          actions: [{ of: WEBHOOK, name: "resend", id: "delivery_id", next: { 409: SET_WEBHOOK } }],
        },
      },
    },
  },
];
