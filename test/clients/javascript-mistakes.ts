import { ANSWER, type Mistake } from "./expect-shown.ts";

/** Mistakes in the client in JavaScript alone. */
export const JAVASCRIPT_MISTAKES: readonly Mistake[] = [
  {
    name: "says after a full disk that the customer has not paid",
    shows: /but the customer may have paid/,
    from: 202,
    mjs: [["useStore(key, true, () => store.add(key + (", "useStore(key, false, () => store.add(key + ("]],
  },
  {
    name: "goes on after cancelled",
    shows: ANSWER,
    mjs: [["cancelled: 11, ", ""]],
  },
  {
    name: "goes on after completed",
    shows: ANSWER,
    mjs: [["completed: 0, ", ""]],
  },
  {
    name: "asks each second",
    shows: "polls_too_fast",
    mjs: [["intervalMs = 5000", "intervalMs = 1000"]],
  },
  {
    name: "searches with a parameter that does not exist",
    shows: "takes_wrong_row",
    mjs: [["list({ search: service_reference })", "list({ reference: service_reference })"]],
  },
  {
    name: "asks for the status without an id",
    shows: "failure_misread",
    mjs: [["if (id) {", "if (reference) {"]],
  },
  {
    name: "stores another id of the answer",
    shows: "unknown_id",
    mjs: [["news.checkout_request_id || null", "news.merchant_request_id || null"]],
  },
];
