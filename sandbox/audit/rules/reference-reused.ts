import { requestRule, type Verdict } from "../rule.ts";
import { clean } from "../words.ts";

export const referenceReused = requestRule({
  kind: "reference_reused",
  severity: "note",
  section: "§4.3",
  label: "uses a reference again",
  advice: "Give each order its own reference, so that GET /transactions.php?search= finds one payment.",
  judges: "requests",
  of: ["push"],
  judge: ({ push, payment }): Verdict | null =>
    push?.otherPhone ? { group: `${payment?.merchantId} ${payment?.reference}` } : null,
  explain({ push, payment, call }) {
    const first = push?.otherPhone;
    return {
      message: `The payments of ${first?.charge.phone} and ${push?.charge.phone} have one reference, “${clean(String(payment?.reference))}”: a search for it finds the payments of all these customers.`,
      requestIds: [first?.requestId ?? 0, call.id],
      payment,
      atMs: call.atMs,
    };
  },
});
