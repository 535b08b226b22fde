import { KINDS, STATUSES } from "../../src/domain/transaction.ts";
import type { Json } from "./bounded.ts";
import {
  type Check,
  check,
  holds,
  isShort,
  type Listed,
  list,
  must,
  NO_TRANSACTIONS,
  newest,
  shown,
  statusOf,
  type Test,
  wrong,
} from "./facts.ts";
import { type Exchange, type Service, Skip } from "./service.ts";

/** What each member of an answer must be (§2). */

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";
const isTimestamp = (value: unknown) =>
  typeof value === "string" && /^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$/.test(value);
const oneOf = (values: readonly unknown[]): Test => [`one of ${values.join(", ")}`, (value) => values.includes(value)];
const readOrNull = ([words, fits]: Test): Test => [`${words} or null`, (value) => value === null || fits(value)];
const INTEGER: Test = ["an integer", Number.isInteger];
const COUNT: Test = ["an integer from 0", (value) => Number.isInteger(value) && (value as number) >= 0];
const TEXT: Test = ["a string", isText];
const NUMBER: Test = ["a number", isNumber];
const BOOLEAN: Test = ["a boolean", (value) => typeof value === "boolean"];
const PRESENT: Test = ["there", (value) => value !== undefined];
const TIMESTAMP: Test = ["a timestamp, YYYY-MM-DD HH:MM:SS", isTimestamp];
export const requestId = (prefix: string): Test => [
  `a string of the shape ${prefix}_<timestamp>_<token>`,
  (value) => typeof value === "string" && new RegExp(`^${prefix}_[^_]+_.+$`).test(value),
];

/** The members of a transaction (§2.2). */
const MEMBERS: Readonly<Record<string, Test>> = {
  id: INTEGER,
  kind: oneOf(KINDS),
  type: [
    "a string in upper case",
    (value) => typeof value === "string" && value !== "" && value === value.toUpperCase(),
  ],
  status: oneOf(STATUSES),
  amount: NUMBER,
  fee_amount: NUMBER,
  fee_deducted: BOOLEAN,
  phone: TEXT,
  transaction_code: readOrNull(TEXT),
  momo_receipt_number: readOrNull(TEXT),
  checkout_request_id: requestId("ws_CO"),
  merchant_request_id: requestId("ws_MR"),
  is_deposit: PRESENT,
  credit_target: PRESENT,
  payment_link_id: PRESENT,
  result_code: readOrNull(INTEGER),
  result_desc: readOrNull(TEXT),
  created_at: TIMESTAMP,
  completed_at: readOrNull(TIMESTAMP),
};

/** Members that the short form of the list leaves out (§4.3). */
export const NOT_IN_SHORT_LIST = [
  ...["kind", "is_deposit", "credit_target", "payment_link_id", "result_code", "result_desc"],
  ...["merchant_request_id", "checkout_request_id", "momo_receipt_number"],
];
/** The members of a status (§4.2), those of the minimal form first. */
export const MINIMAL_STATUS = ["status", "amount", "phone", "transaction_code", "created_at"];
export const FULL_STATUS = [
  ...["fee_amount", "momo_receipt_number", "checkout_request_id", "merchant_request_id"],
  ...["result_code", "result_desc", "completed_at"],
];
const PAGINATION = ["current_page", "per_page", "total_items", "total_pages"];
const SUMMARY: Readonly<Record<string, Test>> = {
  total_completed_amount: NUMBER,
  completed_count: COUNT,
  pending_count: COUNT,
  failed_count: COUNT,
};

/** The lists that show as many kinds of transactions as there are. */
export async function lists(service: Service): Promise<Listed[]> {
  const found = [await list(service)];
  for (const state of STATUSES) {
    try {
      found.push(await list(service, `?status=${state}`));
    } catch (error) {
      // A list that is refused, or does not come, does not hide what the others show.
      if (!(error instanceof Skip)) throw error;
    }
  }
  return found;
}

/** All transactions that were seen, each with the answer that shows it. @throws Skip if there is none of the kind */
export async function transactions(service: Service, what = "", isMeant: (item: Json) => boolean = () => true) {
  const found = (await lists(service)).flatMap(({ items: some, exchange }) => some.map((item) => ({ item, exchange })));
  const polled = service.exchanges.filter(
    ({ status, json }) => status === 200 && json?.status !== undefined && !("id" in json),
  );
  for (const exchange of polled) if (exchange.json) found.push({ item: exchange.json, exchange });
  const meant = found.filter(({ item }) => isMeant(item));
  if (meant.length === 0) throw new Skip(found.length === 0 ? NO_TRANSACTIONS : `there is no ${what}`);
  return meant;
}

const itemRow = ([name, test]: [string, Test]): Check =>
  check(`list.${name}`, "§2.2", `Each transaction of a list has \`${name}\`: ${test[0]}`, async ({ service }) => {
    const all = await lists(service);
    const ofForm = all.filter((one) => !NOT_IN_SHORT_LIST.includes(name) || !isShort(one));
    if (ofForm.length === 0) throw new Skip("the short form of the list leaves it out");
    let last: Exchange | null = null;
    for (const { items: some, exchange } of ofForm) {
      for (const item of some) {
        if (!test[1](item[name])) {
          const why = `\`${name}\` of transaction ${shown(item.id)} must be ${test[0]}; it is ${shown(item[name])}`;
          return wrong(exchange, why, { id: item.id, [name]: item[name] });
        }
        last = exchange;
      }
    }
    if (last === null) throw new Skip(NO_TRANSACTIONS);
    return holds(last);
  });

const statusRow = (name: string): Check =>
  check(
    `status.${name}`,
    "§4.2",
    `The status of a payment has \`${name}\`: ${MEMBERS[name]?.[0]}`,
    async ({ service }) => {
      const exchange = await statusOf(service, await newest(service));
      if (exchange.status !== 200) {
        return wrong(exchange, `the status of a listed payment was answered with ${exchange.status}`);
      }
      const isMinimal = FULL_STATUS.every((member) => exchange.json?.[member] === undefined);
      if (isMinimal && FULL_STATUS.includes(name)) throw new Skip("the minimal form of the answer leaves it out");
      const value = exchange.json?.[name];
      return must(exchange, name, value, MEMBERS[name] as Test, { [name]: value });
    },
  );

/** What a member must be in some states (§2.2, §3). */
const stateRow = (id: string, states: readonly string[], name: string, test: Test, words: string): Check =>
  check(`${id}.${name}`, "§2.2", `\`${name}\` ${words}`, async ({ service }) => {
    const isMeant = (item: Json) => states.includes(String(item.status)) && item[name] !== undefined;
    for (const { item, exchange } of await transactions(service, `${states.join(" or ")} payment with it`, isMeant)) {
      const { id, status, [name]: value } = item;
      if (!test[1](value))
        return wrong(exchange, `it is ${shown(value)} while the status is ${status}`, { id, status, [name]: value });
    }
    return holds(null);
  });

const NULL: Test = ["null", (value) => value === null];
const SET: Test = ["set", (value) => value !== null];
const CODES = ["transaction_code", "momo_receipt_number"];
const UNPAID = ["failed", "cancelled", "expired"];
const WHEN_CONFIRMED = "when the provider confirms a payment";

export const MEMBER_CHECKS: readonly Check[] = [
  ...Object.entries(MEMBERS).map(itemRow),
  ...[...CODES, "result_code", "result_desc", "completed_at"].map((name) =>
    stateRow("pending", ["pending"], name, NULL, "is null while a payment is pending"),
  ),
  ...CODES.map((name) => stateRow("completed", ["completed"], name, SET, `is set ${WHEN_CONFIRMED}`)),
  ...CODES.map((name) => stateRow("unpaid", UNPAID, name, NULL, `is set only ${WHEN_CONFIRMED}`)),
  stateRow("completed", ["completed"], "result_code", ["0", (value) => value === 0], "is 0 on successful completion"),
  stateRow("completed", ["completed"], "completed_at", SET, "is set when a payment is completed"),
  ...PAGINATION.map((name) =>
    check(`pagination.${name}`, "§2.3", `The pagination has \`${name}\`: an integer`, async ({ service }) => {
      const { exchange, pagination } = await list(service);
      return must(exchange, name, pagination[name], INTEGER, { pagination });
    }),
  ),
  ...Object.entries(SUMMARY).map(([name, test]) =>
    check(`summary.${name}`, "§2.4", `The summary has \`${name}\`: ${test[0]}`, async ({ service }) => {
      const listed = await list(service);
      if (listed.summary === null && isShort(listed)) throw new Skip("the short form of the list has no summary");
      const { exchange, summary } = listed;
      return must(exchange, name, summary?.[name], test, summary && { summary });
    }),
  ),
  ...[...MINIMAL_STATUS, ...FULL_STATUS].map(statusRow),
];
