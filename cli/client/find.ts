import { Failure } from "../terminal/failure.ts";
import { ABOUT_PAYMENT, type Client } from "./client.ts";
import type { Answer } from "./request.ts";

/** Every command takes the number of a payment or its checkout request id. */

/** The number of a payment; null for a request id. */
export const numberOf = (text: string): string | null => (/^[1-9][0-9]{0,14}$/.test(text) ? text : null);

/**
 * @param client of the merchant API
 * @returns the checkout request id
 * @throws Failure `not_found`
 */
export async function checkoutIdOf(client: Client, text: string): Promise<string> {
  const id = numberOf(text);
  if (id === null) return text;
  return requestIdIn(await client.get("/transactions.php", { id }, ABOUT_PAYMENT));
}

/** The same for any merchant's payment, from the control API. */
export async function checkoutIdAt(control: Client, text: string): Promise<string> {
  const id = numberOf(text);
  if (id === null) return text;
  const { merchants } = (await control.get("/merchants", {})) as Answer & { merchants: { id: number }[] };
  for (const merchant of merchants) {
    const found = await control.get("/transactions", { id, merchant_id: String(merchant.id) }).catch(notFoundIsNull);
    if (found) return requestIdIn(found);
  }
  throw new Failure("not_found", `there is no transaction ${id}`, "momo list shows them");
}

function notFoundIsNull(error: unknown): null {
  if (error instanceof Failure && error.code === "not_found") return null;
  throw error;
}

function requestIdIn(answer: Answer): string {
  const [item] = itemsOf(answer);
  if (typeof item?.checkout_request_id === "string") return item.checkout_request_id;
  throw new Failure(
    "not_found",
    "the service lists payments without their request ids (--response-form short)",
    "give the checkout request id that starting the payment returned",
  );
}

/** The transactions of a list, in the full or the short form. */
export function itemsOf(answer: Answer): Record<string, unknown>[] {
  const items = answer.transactions ?? answer.data;
  if (!Array.isArray(items) || !items.every((item) => isRecord(item) && Number.isInteger(item.id))) {
    throw new Failure("unexpected", "the service answered without a list of transactions");
  }
  return items;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
