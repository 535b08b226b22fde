import { KINDS, STATUSES } from "../../src/domain/transaction.ts";
import { whatCame } from "../../src/domain/what-came.ts";
import type { Stated } from "./rows.ts";
import { type Exchange, type Members, objectAt, rowsOf, type Service, Skipped } from "./service.ts";

/** The members of all answers so far: their presence, types and nulls (§2.2–2.4, §4.1–4.3). */

/** What a member must be: the words of the specification, and whether a value is so. */
type Kind = readonly [words: string, fits: (value: unknown) => boolean];

const TIMESTAMP = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

const integer: Kind = ["an integer", Number.isInteger];
const number: Kind = ["a number", (value) => typeof value === "number"];
const boolean: Kind = ["a boolean", (value) => typeof value === "boolean"];
const string: Kind = ["a string", (value) => typeof value === "string"];
const present: Kind = ["present", (value) => value !== undefined];
const timestamp: Kind = ["a timestamp YYYY-MM-DD HH:MM:SS", (value) => TIMESTAMP.test(String(value))];
const oneOf = (values: readonly string[]): Kind => [
  `one of ${values.join(", ")}`,
  (value) => values.includes(value as string),
];
const shaped = (prefix: string): Kind => [
  `a string ${prefix}_<timestamp>_<token>`,
  (value) => typeof value === "string" && new RegExp(`^${prefix}_\\d+_[^_]+$`).test(value),
];
const orNull = ([words, fits]: Kind): Kind => [`${words}, or null`, (value) => value === null || fits(value)];

const identifiers = { checkout_request_id: shaped("ws_CO"), merchant_request_id: shaped("ws_MR") };
const outcome = {
  momo_receipt_number: orNull(string),
  result_code: orNull(integer),
  result_desc: orNull(string),
};

const TRANSACTION: Readonly<Record<string, Kind>> = {
  id: integer,
  kind: oneOf(KINDS),
  type: ["an upper-case label", (value) => typeof value === "string" && /^[A-Z][A-Z_]*$/.test(value)],
  status: oneOf(STATUSES),
  amount: number,
  fee_amount: number,
  fee_deducted: boolean,
  phone: string,
  transaction_code: orNull(string),
  ...identifiers,
  is_deposit: boolean,
  credit_target: present,
  payment_link_id: present,
  ...outcome,
  created_at: timestamp,
  completed_at: orNull(timestamp),
};
const STATUS: Readonly<Record<string, Kind>> = {
  status: oneOf(STATUSES),
  amount: number,
  fee_amount: number,
  phone: string,
  transaction_code: orNull(string),
  ...identifiers,
  ...outcome,
  created_at: timestamp,
  completed_at: orNull(timestamp),
};

/** The members that the shorter form leaves out (§4.2, §4.3). */
const SHORT_ITEM =
  "kind is_deposit credit_target payment_link_id result_code result_desc merchant_request_id checkout_request_id momo_receipt_number";
const SHORT_STATUS =
  "fee_amount momo_receipt_number checkout_request_id merchant_request_id result_code result_desc completed_at";

/** An object of an answer, such as a row of a list. */
interface Found {
  readonly members: Members;
  readonly at: Exchange;
}

/** The objects of one sort in all answers so far, and which members their shorter form leaves out. */
interface Sort {
  readonly section: string;
  readonly prefix: string;
  readonly name: string;
  readonly kinds: Readonly<Record<string, Kind>>;
  readonly omitted: ReadonlySet<string>;
  find(service: Service): Found[];
}

const items = (service: Service): Found[] =>
  service.answersAt("/transactions.php").flatMap((at) => rowsOf(at).map((members) => ({ members, at })));
const answers = (path: string) => (service: Service) =>
  service.answersAt(path).map((at) => ({ members: at.body ?? {}, at }));
const inList = (name: string) => (service: Service) =>
  service
    .answersAt("/transactions.php")
    .filter(({ body }) => body?.[name] !== undefined)
    .map((at) => ({ members: objectAt(at.body, name), at }));

const NONE = new Set<string>();
const SORTS: readonly Sort[] = [
  {
    ...{ section: "§2.2", prefix: "item", name: "in the list", kinds: TRANSACTION, find: items },
    omitted: new Set(SHORT_ITEM.split(" ")),
  },
  {
    ...{ section: "§4.2", prefix: "status", name: "in a status", kinds: STATUS, find: answers("/status.php") },
    omitted: new Set(SHORT_STATUS.split(" ")),
  },
  {
    ...{ section: "§4.1", prefix: "started", name: "of a started payment", find: answers("/stkpush.php") },
    kinds: { transaction_id: integer, ...identifiers },
    omitted: new Set(["transaction_id"]),
  },
  {
    ...{ section: "§2.3", prefix: "pagination", name: "in pagination", find: inList("pagination"), omitted: NONE },
    kinds: { current_page: integer, per_page: integer, total_items: integer, total_pages: integer },
  },
  {
    ...{ section: "§2.4", prefix: "summary", name: "in the summary", find: inList("summary"), omitted: NONE },
    kinds: { total_completed_amount: number, completed_count: integer, pending_count: integer, failed_count: integer },
  },
];

const memberRows = ({ section, prefix, name, kinds, omitted, find }: Sort): Stated[] =>
  Object.entries(kinds).map(([member, [words, fits]]) => ({
    id: `${prefix}.${member}`,
    section,
    sentence: `${member} ${name} is ${words}`,
    ...(prefix === "started" && { needs: "payment" as const }),
    async check(service) {
      const found = find(service);
      if (found.length === 0) throw new Skipped(`no answer has one`);
      // The shorter form has none of these members. An answer with some of them is in the fuller form.
      const isShort = ({ members }: Found) => [...omitted].every((one) => members[one] === undefined);
      const full = omitted.has(member) ? found.filter((one) => !isShort(one)) : found;
      if (full.length === 0 && omitted.size > 0) throw new Skipped("the shorter form of the answer does not have it");
      const bad = full.find(({ members }) => !fits(members[member]));
      return bad ? { seen: whatItIs(bad.members[member]), at: bad.at } : null;
    },
  }));

const whatItIs = (value: unknown): string =>
  value === undefined ? "it is missing" : whatCame(value).replace(/^; /, "");

/** What a member is in a status: null before the provider confirms, and set then. */
function whileRow(
  status: string,
  member: string,
  words: string,
  has: (status: unknown) => boolean,
  fits: (value: unknown) => boolean,
): Stated {
  return {
    id: `${status}.${member}`,
    section: status === "pending" ? "§2.2" : "§3",
    sentence: `${member} is ${words}`,
    async check(service) {
      const found = [...items(service), ...answers("/status.php")(service)];
      const ofStatus = found.filter(({ members }) => has(members.status) && members[member] !== undefined);
      if (ofStatus.length === 0) throw new Skipped(`no answer has a payment that is ${status}, with ${member}`);
      const bad = ofStatus.find(({ members }) => !fits(members[member]));
      return bad ? { seen: whatItIs(bad.members[member]), at: bad.at } : null;
    },
  };
}

const OUTCOME = ["transaction_code", "momo_receipt_number", "result_code", "result_desc", "completed_at"];
const isNull = (value: unknown) => value === null;
const isText = (value: unknown) => typeof value === "string" && value !== "";
const isPending = (status: unknown) => status === "pending";
const isCompleted = (status: unknown) => status === "completed";
const isUnpaid = (status: unknown) => ["failed", "cancelled", "expired"].includes(String(status));

export const MEMBERS: readonly Stated[] = [
  ...SORTS.flatMap(memberRows),
  ...OUTCOME.map((member) => whileRow("pending", member, "null while pending", isPending, isNull)),
  whileRow("completed", "transaction_code", "set when completed", isCompleted, isText),
  whileRow("completed", "momo_receipt_number", "set when completed", isCompleted, isText),
  whileRow("completed", "completed_at", "set when completed", isCompleted, isText),
  whileRow("completed", "result_code", "0 when completed", isCompleted, (value) => value === 0),
  ...["transaction_code", "momo_receipt_number"].map((member) =>
    whileRow("unpaid", member, "set only when the provider confirms payment", isUnpaid, isNull),
  ),
];
