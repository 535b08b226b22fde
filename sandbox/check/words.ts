import type { Behaviour, Fact, Lack, Note, Received, Stop, Violation } from "./fact.ts";

/** Facts in words, made last: nothing else in the program reads them. */

const ZONES: Readonly<Record<number, string>> = { 0: "UTC", 180: "Nairobi" };
const ORDERS = { newest_first: "newest first", oldest_first: "oldest first", neither: "neither by id nor against it" };

const ANSWERS = {
  any: "no answer came",
  "200": "nothing was answered with 200",
  errors: "nothing was refused",
};

const value = (received: Received): string => received ?? "missing";

function zone(offsetMinutes: number | null): string {
  if (offsetMinutes === null) return "not known: the timestamp cannot be read";
  return ZONES[offsetMinutes] ?? `${offsetMinutes} minutes east of Greenwich`;
}

const MOST_RESULTS = 5;

function results(others: readonly (readonly [code: string, text: string])[]): string {
  if (others.length === 0) return "those of the network";
  const lines = others.slice(0, MOST_RESULTS).map(([code, text]) => `${code}: ${text}`);
  if (others.length > MOST_RESULTS) lines.push(`${others.length - MOST_RESULTS} more`);
  return lines.join("; ");
}

/** A kind of fact in words. */
type Words<Some extends Fact> = {
  readonly [Kind in Some["kind"]]: string | ((fact: Extract<Some, { readonly kind: Kind }>) => string);
};

const BEHAVIOUR: Words<Behaviour> = {
  refused: (fact) => `refused with ${fact.status}`,
  accepted: "accepted",
  ignored: "ignored",
  empty_page: "an empty page",
  page: (fact) => (fact.number === null ? "a page without a number" : `page ${fact.number}`),
  limit: (fact) => (fact.limit === null ? "a page without a limit" : `at most ${fact.limit} transactions`),
  array: (fact) => {
    const parts = [`\`${fact.name}\`, in the ${fact.form} form`];
    if (fact.isMixed) parts.push("with members of the full one");
    if (fact.otherForm !== null) parts.push(`${fact.otherForm} is in the other one`);
    return parts.join("; ");
  },
  order: (fact) => ORDERS[fact.order],
  phone: (fact) => (fact.start === null ? "in another way than +254…, 254… or 0…" : `${fact.start} and nine digits`),
  fee: (fact) => fact.formula ?? "not as a share and a fixed part",
  one_fee: ({ amount, fee }) => `${fee / 100} of ${amount / 100}: a payment of another amount would tell how`,
  results: (fact) => results(fact.others),
  zone: (fact) => zone(fact.offsetMinutes),
  final: (fact) => (fact.changes === null ? "never" : `${value(fact.changes.from)} became ${value(fact.changes.to)}`),
};

const VIOLATION: Words<Violation> = {
  answered: (fact) =>
    `it was answered with ${fact.status}${fact.expected === undefined ? "" : `, not with ${fact.expected}`}`,
  member: (fact) => {
    const of = fact.transaction === undefined ? "" : ` of transaction ${value(fact.transaction)}`;
    return `\`${fact.name}\`${of} is ${value(fact.received)}`;
  },
  state: (fact) => `it is ${value(fact.received)} while the status is ${value(fact.status)}`,
  differs: (fact) => `\`${fact.name}\` is ${value(fact.status)} there, and ${value(fact.list)} in the list`,
  list: (fact) => {
    const array = fact.hasArray ? "with an array" : "without an array";
    return `it was answered with ${fact.status}, success ${value(fact.success)}, ${array}`;
  },
  page_size: (fact) => `${fact.rows} of ${value(fact.total)} are on a page of ${value(fact.limit)}`,
  page_count: (fact) => `it is ${value(fact.pages)} for ${value(fact.items)} items, ${value(fact.limit)} on a page`,
  same_row: (fact) => `page 2 begins with ${value(fact.second)}, page 1 with ${value(fact.first)}`,
  other_row: "the list has a transaction that does not fit",
  lost_row: (fact) => `the list does not have transaction ${value(fact.transaction)}, which fits`,
  finds_none: "it finds no transaction, but there is one that fits",
  found: (fact) => `it returns ${fact.rows} transactions, the first is ${value(fact.first)}`,
  sum: (fact) => `${fact.name} is ${fact.received}; the amounts of the completed payments add up to ${fact.sum}`,
  count: (fact) => {
    const why = fact.counts === undefined ? "" : `: it counts ${fact.counts.join(", ")}`;
    return `\`${fact.name}\` is ${fact.received}, and status=${fact.status} selects ${value(fact.selected)}${why}`;
  },
  no_object: (fact) => `an answer with ${fact.status} is not a JSON object`,
  envelope: (fact) => `success is ${value(fact.success)}, message is ${value(fact.message)}`,
  failure_members: (fact) => `the members are ${fact.names.join(", ")}, success is ${value(fact.success)}`,
  base_address: "the base address does not end with /v2",
};

const LACK: Words<Lack> = {
  ended: "the check had ended",
  needs_payment: "it needs a payment: --pay PHONE --amount 1 --account ID",
  needs_push: "it needs one more push: --max-pushes",
  no_transactions: "the account has no transactions",
  no_such_transaction: "the account has no such transaction",
  one_transaction: "there are fewer than two transactions",
  one_page: "there is only one page",
  none_such: (fact) =>
    `there is no ${fact.statuses.join(" or ")} payment${fact.member === undefined ? "" : " with it"}`,
  not_shown: (fact) => `the answers show no ${fact.member}`,
  short_form: "the short form leaves it out",
  no_list: (fact) => `the list was answered with ${fact.status}, without an array of transactions`,
  list_refused: "the list is not answered, so nothing is paid",
  payment_refused: (fact) => `the payment was answered with ${fact.status}`,
  still_pending: "the payment is still pending",
  too_late: "its first status came too late",
  may_change: "payments may have changed between two requests",
  not_selected: "the list does not select by status",
  many_rows: "more payments are completed than a page shows",
  refused_before: (fact) => `it is refused with ${fact.status} for another reason first`,
  no_such_answer: (fact) => ANSWERS[fact.answers],
  unusable_id: "its id is no number or text of up to 200 characters",
};

const STOP: Words<Stop> = {
  credentials_refused: "the credentials are refused",
  budget_spent: (fact) => `the budget of ${fact.budget} requests is spent`,
  interrupted: "it was interrupted",
  no_answer: (fact) => `${fact.request} got no answer: ${fact.reason}`,
  too_large: "its answers have more than 32 MiB in sum",
  too_slow: "its answers took more than 5m in sum",
  redirects: (fact) => `it redirects to ${fact.to ?? "nowhere"}: give --target where it is`,
  another_api: (fact) => {
    const type = fact.type ?? "no content type";
    return `this is not a service with this API: it answers ${fact.status} with ${type}, not with a JSON object`;
  },
  rate_limited: "the service answers 429: it takes no more requests",
  server_errors: (fact) => `the service has answered ${fact.status}, the second error of its own`,
  bug: (fact) => `momo failed: ${fact.error}`,
};

const NOTE: Words<Note> = {
  clock_apart: (fact) =>
    `the service's clock is ${fact.minutes} minutes ${fact.isAhead ? "ahead of" : "behind"} this one`,
  empty_account:
    "the account has no transactions, so most of the list is not checked: start payments there first, or give --pay",
  base_path: "momo serve does not imitate the base path: it must be a path such as /v2",
  pushed_unanswered: "a payment was pushed, and no answer came: look it up before you pay again",
  pushed_without_id: "a payment was pushed, and its answer has no id",
  pushed: (fact) => {
    const ids = `checkout_request_id ${value(fact.checkoutRequestId)}, transaction_id ${value(fact.transaction)}`;
    return `a payment was pushed: ${ids}`;
  },
};

const WORDS: Words<Fact> = { ...BEHAVIOUR, ...VIOLATION, ...LACK, ...STOP, ...NOTE };

/** The same in words. */
export function inWords(fact: Fact): string {
  const words = WORDS[fact.kind] as string | ((fact: Fact) => string);
  return typeof words === "string" ? words : words(fact);
}
