import { numberOfCode, numberOfReceipt } from "../../../src/domain/identifiers.ts";
import { parametersIn } from "../../../src/domain/parameters.ts";
import { clean } from "../words.ts";
import type { Mention, Payment } from "./payment.ts";
import type { PaymentBook } from "./payment-book.ts";
import type { ClientRequest } from "./request.ts";

/** Parameter names that stand for one payment, in lower case and letters only. */
const NAMES_ONE =
  /^(?:(?:checkout|merchant)?(?:request)?id|transaction(?:id|code|reference|ref)?|trans(?:action)?id|tx(?:n)?(?:id|ref)?|code|ref|reference(?:id|number)?|(?:external|account|order|invoice|payment)(?:id|ref|reference|number)?|(?:momo|mpesa)?receipt(?:number|no)?|(?:momo|mpesa)(?:code|transactionid))$/;

export const namesOne = (name: string): boolean => NAMES_ONE.test(name.toLowerCase().replaceAll(/[^a-z]/g, ""));

/** The payments that a request names in its body, its query or its path. */
export const mentionsIn = (payments: PaymentBook, request: ClientRequest): Mention[] =>
  valuesIn(request).flatMap(([name, sent]) => mentionsBy(payments, name, sent));

/** How many values of a request are looked at. */
const MOST_VALUES = 20;

/** The values of a request that may name a payment, with their names; a part of the path has none. */
function valuesIn({ call, path, query }: ClientRequest): readonly (readonly [name: string, value: string])[] {
  const parts = path.split("/").filter((part) => part.length >= SHORTEST_PART && /[0-9]/.test(part));
  return [...Object.entries(call.members ?? {}), ...parametersIn(query), ...parts.map((part) => ["", part] as const)]
    .slice(0, MOST_VALUES)
    .flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : [],
    );
}

/** A shorter part of an id may be of another one. */
const SHORTEST_PART = 10;

const MEMBER = "checkout_request_id";

function mentionsBy(payments: PaymentBook, name: string, sent: string): Mention[] {
  const mention = (payment: Payment, form: string | null) => [{ payment, form, sent, isWhole: true }];
  const withId = payments.byCheckoutId(sent);
  if (withId) return mention(withId, name === MEMBER ? null : formUnder(name));
  const isNumber = /^[0-9]{1,15}$/.test(sent);
  const number = isNumber ? (namesOne(name) ? Number(sent) : null) : (numberOfCode(sent) ?? numberOfReceipt(sent));
  const numbered = number === null ? undefined : payments.byNumber(number);
  if (numbered) {
    const what = isNumber ? "transaction_id" : numberOfCode(sent) === null ? "momo_receipt_number" : "transaction_code";
    return mention(numbered, `the ${what} of the payment`);
  }
  const all = [...payments.all()];
  const issued = all.findLast(({ merchantRequestId }) => sent === merchantRequestId);
  if (issued) return mention(issued, "the merchant_request_id of the payment");
  const ordered = namesOne(name) && all.findLast(({ reference }) => sent === reference);
  if (ordered) return mention(ordered, "the reference of the payment");
  const part = all.findLast(({ checkoutRequestId }) => isPart(checkoutRequestId, sent));
  return part ? [{ payment: part, form: null, sent, isWhole: false }] : [];
}

const isPart = (id: string, sent: string): boolean =>
  sent.includes(id) || (sent.length >= SHORTEST_PART && id.includes(sent));

const formUnder = (name: string): string =>
  name === "" ? "the id as a part of the path" : `the id as “${clean(name)}” instead of “${MEMBER}”`;
