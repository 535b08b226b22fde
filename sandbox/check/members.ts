import { z } from "zod";
import { STATUSES } from "../../src/domain/transaction.ts";
import { fullList, summary, timestamp, transaction } from "../../src/http/answers.ts";
import type { Json } from "./bounded.ts";
import {
  type Check,
  check,
  expectMember,
  isShort,
  type Listed,
  list,
  newest,
  ok,
  received,
  shapeCheck,
  statusAsk,
  statusOf,
  violated,
} from "./check-run.ts";
import { type Exchange, type Service, Skip } from "./service.ts";

/** What each member of an answer must be (§2): the schemas of the API, but where the specification demands less. */

export const requestId = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[^_]+_.+$`));

const { id, kind, status, fee_deducted, transaction_code, momo_receipt_number, result_code, result_desc } =
  transaction.shape;

interface Member {
  readonly schema: z.ZodType;
  /** What it must be, for the sentence. */
  readonly is: string;
}

const TEXT_OR_NULL = "a string or null";
/** Whatever it is, it must be there. */
const PRESENT: Member = { schema: z.unknown().refine((value) => value !== undefined), is: "there" };

/** The members of a transaction (§2.2). */
const MEMBERS: Readonly<Record<string, Member>> = {
  id: { schema: id, is: "an integer" },
  kind: { schema: kind, is: `one of ${kind.options.join(", ")}` },
  type: { schema: z.string().regex(/^\P{Ll}+$/u), is: "a string in upper case" },
  status: { schema: status, is: `one of ${status.options.join(", ")}` },
  amount: { schema: z.number(), is: "a number" },
  fee_amount: { schema: z.number(), is: "a number" },
  fee_deducted: { schema: fee_deducted, is: "a boolean" },
  phone: { schema: z.string(), is: "a string" },
  transaction_code: { schema: transaction_code, is: TEXT_OR_NULL },
  momo_receipt_number: { schema: momo_receipt_number, is: TEXT_OR_NULL },
  checkout_request_id: { schema: requestId("ws_CO"), is: "a string of the shape ws_CO_<timestamp>_<token>" },
  merchant_request_id: { schema: requestId("ws_MR"), is: "a string of the shape ws_MR_<timestamp>_<token>" },
  is_deposit: PRESENT,
  credit_target: PRESENT,
  payment_link_id: PRESENT,
  result_code: { schema: result_code, is: "an integer or null" },
  result_desc: { schema: result_desc, is: TEXT_OR_NULL },
  created_at: { schema: timestamp, is: "a timestamp, YYYY-MM-DD HH:MM:SS" },
  completed_at: { schema: timestamp.nullable(), is: "a timestamp, YYYY-MM-DD HH:MM:SS, or null" },
};

/** Members that the short form of the list leaves out (§4.3). */
export const NOT_IN_SHORT_LIST = [
  ...["kind", "is_deposit", "credit_target", "payment_link_id", "result_code", "result_desc"],
  ...["merchant_request_id", "checkout_request_id", "momo_receipt_number"],
];
/** The members of a status (§4.2), those of the minimal form first. */
const MINIMAL_STATUS = ["status", "amount", "phone", "transaction_code", "created_at"];
export const FULL_STATUS = [
  ...["fee_amount", "momo_receipt_number", "checkout_request_id", "merchant_request_id"],
  ...["result_code", "result_desc", "completed_at"],
];
const PAGINATION = fullList.shape.pagination.shape;
const SUMMARY: Readonly<Record<string, Member>> = {
  total_completed_amount: { schema: z.number(), is: "a number" },
  completed_count: { schema: summary.shape.completed_count, is: "an integer from 0" },
  pending_count: { schema: summary.shape.pending_count, is: "an integer from 0" },
  failed_count: { schema: summary.shape.failed_count, is: "an integer from 0" },
};

/** What the list and the status of a payment have in common. */
const COMPARED = [...MINIMAL_STATUS, "checkout_request_id"];

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

interface Shown {
  readonly item: Json;
  /** The answer that shows it. */
  readonly exchange: Exchange;
}

/** All transactions that were seen. @throws Skip if there is none */
export async function transactions(service: Service): Promise<Shown[]> {
  const found = (await lists(service)).flatMap(({ items: some, exchange }) => some.map((item) => ({ item, exchange })));
  const polled = service.exchanges.filter(
    ({ status: answered, json }) => answered === 200 && json?.status !== undefined && !("id" in json),
  );
  for (const exchange of polled) if (exchange.json) found.push({ item: exchange.json, exchange });
  if (found.length === 0) throw new Skip({ kind: "no_transactions" });
  return found;
}

/** Those of these statuses, which show the member. @throws Skip if there is none */
export async function transactionsOf(service: Service, statuses: readonly string[], member?: string): Promise<Shown[]> {
  const found = (await transactions(service)).filter(
    ({ item }) => statuses.includes(String(item.status)) && (member === undefined || item[member] !== undefined),
  );
  if (found.length === 0) throw new Skip({ kind: "none_such", statuses, ...(member !== undefined && { member }) });
  return found;
}

const itemRow = ([name, { schema, is }]: [string, Member]): Check =>
  shapeCheck(`list.${name}`, "§2.2", `Each transaction of a list has \`${name}\`: ${is}`, async ({ service }) => {
    const all = await lists(service);
    const ofForm = all.filter((one) => !NOT_IN_SHORT_LIST.includes(name) || !isShort(one));
    if (ofForm.length === 0) throw new Skip({ kind: "short_form" });
    let last: Exchange | null = null;
    for (const { items: some, exchange } of ofForm) {
      for (const item of some) {
        if (!schema.safeParse(item[name]).success) {
          const member = { name, received: received(item[name]), transaction: received(item.id) };
          return violated(exchange, { kind: "member", ...member }, { id: item.id, [name]: item[name] });
        }
        last = exchange;
      }
    }
    if (last === null) throw new Skip({ kind: "no_transactions" });
    return ok(last);
  });

function statusRow(name: string): Check {
  const { schema, is } = MEMBERS[name] as Member;
  return shapeCheck(`status.${name}`, "§4.2", `The status of a payment has \`${name}\`: ${is}`, async ({ service }) => {
    const exchange = await statusOf(service, await newest(service));
    if (exchange.status !== 200) return violated(exchange, { kind: "answered", status: exchange.status });
    const isMinimal = FULL_STATUS.every((member) => exchange.json?.[member] === undefined);
    if (isMinimal && FULL_STATUS.includes(name)) throw new Skip({ kind: "short_form" });
    const value = exchange.json?.[name];
    return expectMember(exchange, name, value, schema.safeParse(value).success, { [name]: value });
  });
}

interface StateRow {
  readonly group: string;
  readonly statuses: readonly string[];
  readonly name: string;
  readonly schema: z.ZodType;
  /** The rest of the sentence. */
  readonly is: string;
}

/** What a member must be in some states (§2.2, §3). */
const stateRow = ({ group, statuses, name, schema, is }: StateRow): Check =>
  check(`${group}.${name}`, "§2.2", `\`${name}\` ${is}`, async ({ service }) => {
    for (const { item, exchange } of await transactionsOf(service, statuses, name)) {
      const { id: transactionId, status: state, [name]: value } = item;
      if (schema.safeParse(value).success) continue;
      const part = { id: transactionId, status: state, [name]: value };
      return violated(exchange, { kind: "state", name, received: received(value), status: received(state) }, part);
    }
    return ok(null);
  });

const SET = z.unknown().refine((value) => value !== null);
const CODES = ["transaction_code", "momo_receipt_number"];
const WHEN_CONFIRMED = "when the provider confirms a payment";

/** @param is the rest of the sentence */
const completedRow = (name: string, schema: z.ZodType, is: string) =>
  stateRow({ group: "completed", statuses: ["completed"], name, schema, is });

const pendingRow = (name: string) =>
  stateRow({
    group: "pending",
    statuses: ["pending"],
    name,
    schema: z.null(),
    is: "is null while a payment is pending",
  });

const unpaidRow = (name: string) =>
  stateRow({
    group: "unpaid",
    statuses: ["failed", "cancelled", "expired"],
    name,
    schema: z.null(),
    is: `is set only ${WHEN_CONFIRMED}`,
  });

export const MEMBER_CHECKS: readonly Check[] = [
  ...Object.entries(MEMBERS).map(itemRow),
  ...[...CODES, "result_code", "result_desc", "completed_at"].map(pendingRow),
  ...CODES.map((name) => completedRow(name, SET, `is set ${WHEN_CONFIRMED}`)),
  ...CODES.map(unpaidRow),
  completedRow("result_code", z.literal(0), "is 0 on successful completion"),
  completedRow("completed_at", SET, "is set when a payment is completed"),
  completedRow("fee_deducted", z.literal(true), "is true when a payment is completed"),
  ...Object.entries(PAGINATION).map(([name, schema]) =>
    shapeCheck(`pagination.${name}`, "§2.3", `The pagination has \`${name}\`: an integer`, async ({ service }) => {
      const { exchange, pagination } = await list(service);
      const value = pagination[name];
      return expectMember(exchange, name, value, schema.safeParse(value).success, { pagination });
    }),
  ),
  ...Object.entries(SUMMARY).map(([name, { schema, is }]) =>
    shapeCheck(`summary.${name}`, "§2.4", `The summary has \`${name}\`: ${is}`, async ({ service }) => {
      const listed = await list(service);
      if (listed.summary === null && isShort(listed)) throw new Skip({ kind: "short_form" });
      const { exchange, summary: counts } = listed;
      const value = counts?.[name];
      return expectMember(
        exchange,
        name,
        value,
        schema.safeParse(value).success,
        counts ? { summary: counts } : undefined,
      );
    }),
  ),
  ...[...MINIMAL_STATUS, ...FULL_STATUS].map(statusRow),
  check("status.same", "§4.2", "The status of a payment is the one that the list shows", async ({ service }) => {
    const { items: finals } = await list(service, "?status=completed");
    // Not the newest one: a service may answer that for each id.
    const item = finals.at(-1) ?? (await newest(service));
    if (item.status === "pending") throw new Skip({ kind: "may_change" });
    const exchange = await service.again(statusAsk(item));
    const names = COMPARED.filter((name) => item[name] !== undefined && exchange.json?.[name] !== undefined);
    if (names.length === 0) throw new Skip({ kind: "not_shown", member: COMPARED.join(", ") });
    const other = names.find((name) => exchange.json?.[name] !== item[name]);
    if (other === undefined) return ok(exchange);
    const values = { status: received(exchange.json?.[other]), list: received(item[other]) };
    return violated(exchange, { kind: "differs", name: other, ...values });
  }),
];
