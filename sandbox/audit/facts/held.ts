import type { DelayedRequest } from "../../request-log.ts";
import { type Charges, chargeIn } from "./charges.ts";
import { Payment, type Push } from "./payment.ts";
import { withoutAddition } from "./tries.ts";

/** A push that a fault still delays: its client waits no more, but it takes effect. Null for other requests. */
export function heldPush({ path, members, atMs, arrived }: DelayedRequest, charges: Charges): Push | null {
  const charge = path.endsWith("/stkpush.php") ? chargeIn(members) : null;
  if (charge === null) return null;
  const ids = { id: 0, checkoutRequestId: "", merchantRequestId: "", merchantId: 0 };
  return {
    requestId: 0,
    charge,
    order: charge.reference && withoutAddition(charge.reference),
    atMs,
    arrived,
    answered: Number.POSITIVE_INFINITY,
    status: null,
    isDelivered: false,
    payment: new Payment({ ...ids, ...charge }, arrived),
    earlier: charges.ofPhone(charge.phone),
    otherPhone: null,
    phones: null,
    isReferenceShared: false,
    lastList: null,
  };
}
