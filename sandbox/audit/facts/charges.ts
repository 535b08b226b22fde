import { keepLast } from "../../../src/domain/keep-last.ts";
import { typedPhone } from "../../../src/domain/phone.ts";
import type { Members } from "../../request-log.ts";
import type { Charge, ListRequest, Payment, Push } from "./payment.ts";
import type { ClientRequest } from "./request.ts";
import { withoutAddition } from "./tries.ts";

/** How many earlier pushes for the same phone are compared with a new one. */
const MOST_COMPARED = 50;

/** How many pushes that started no payment are kept. */
const MOST_LOST = 100;

/** More than two phones of one reference are a campaign. */
const MOST_PHONES = 3;

const NONE: readonly never[] = [];

/** The pushes of the client, by phone and by reference, as far as later ones are compared with them. */
export class Charges {
  /** The newest first. */
  readonly #byPhone = new Map<string, Push[]>();
  /** The last push with each reference of each merchant: a joined key would be hashed anew at each push. */
  readonly #byReference = new Map<number, Map<string, Push>>();
  readonly #lost: Push[] = [];

  /**
   * A push that started a payment, or whose client cannot know that it started none.
   * @param payment what it has started
   */
  add(request: ClientRequest, charge: Charge, payment: Payment | null, lastList: ListRequest | null): Push {
    const { call, atMs, arrived, answered, isDelivered } = request;
    const others = this.#byPhone.get(charge.phone);
    const references = payment?.reference ? this.#referencesOf(payment.merchantId) : null;
    const last = references?.get(payment?.reference ?? "") ?? null;
    const phones = last && phonesWith(last, charge.phone);
    const push: Push = {
      requestId: call.id,
      charge,
      order: charge.reference && withoutAddition(charge.reference),
      atMs,
      arrived,
      answered: answered.order,
      status: call.hidden === null ? call.status : null,
      isDelivered: isDelivered && payment !== null,
      payment,
      earlier: others === undefined ? NONE : [...others],
      otherPhone: last !== null && last.charge.phone !== charge.phone ? last : null,
      phones,
      isReferenceShared: phones?.some((phone) => phone !== charge.phone) === true,
      lastList,
    };
    if (payment?.reference) references?.set(payment.reference, push);
    if (others === undefined) this.#byPhone.set(charge.phone, [push]);
    else if (others.unshift(push) > MOST_COMPARED) others.pop();
    const oldest = payment === null && keepLast(this.#lost, push, MOST_LOST);
    if (oldest) this.remove(oldest);
    return push;
  }

  #referencesOf(merchantId: number): Map<string, Push> {
    let references = this.#byReference.get(merchantId);
    if (references === undefined) {
      references = new Map();
      this.#byReference.set(merchantId, references);
    }
    return references;
  }

  /** Later pushes are not compared with this one any more. */
  remove(push: Push): void {
    // Newer pushes hold this one, which must not hold all before it.
    push.earlier = NONE;
    push.otherPhone = null;
    const { phone } = push.charge;
    const others = this.#byPhone.get(phone);
    const at = others?.indexOf(push) ?? -1;
    if (others && at >= 0) others.splice(at, 1);
    if (others?.length === 0) this.#byPhone.delete(phone);
    const { payment } = push;
    const ofMerchant = payment?.reference ? this.#byReference.get(payment.merchantId) : undefined;
    if (payment?.reference && ofMerchant?.get(payment.reference) === push) ofMerchant.delete(payment.reference);
  }

  /** The pushes for a phone, the newest first. */
  ofPhone(phone: string): readonly Push[] {
    return this.#byPhone.get(phone) ?? NONE;
  }

  /** Whether a lost push had this reference, in any letter case. */
  hasLost(reference: string): boolean {
    return this.#lost.some(({ charge }) => charge.reference?.toLowerCase() === reference.toLowerCase());
  }
}

/** The phones of a reference, which all its pushes share. The first push alone has no list, because most references have one push. */
function phonesWith(last: Push, phone: string): string[] {
  last.phones ??= [last.charge.phone];
  if (last.phones.length < MOST_PHONES && !last.phones.includes(phone)) last.phones.push(phone);
  return last.phones;
}

/** The charge in the body of a push; null if it names none. */
export function chargeIn(members: Members | null): Charge | null {
  const { payment_account_id: account, phone, amount, reference } = members ?? {};
  const digits = typedPhone(String(phone));
  if (digits === null || !Number.isFinite(Number(amount))) return null;
  return {
    paymentAccountId: Number(account),
    phone: digits.replace(/^0/, "254"),
    amountCents: Math.round(Number(amount) * 100),
    reference: typeof reference === "string" ? reference : null,
  };
}
