import { expect, test } from "bun:test";
import { nextPayments } from "../../../sandbox/console/browser/logic/next-payments.ts";
import type { Fault, Rule } from "../../../sandbox/console/browser/wire.ts";

test("what is left for the next payments is in its order, without what is never reached", () => {
  const rule: Rule = { id: 1, match: {}, outcome: "wrong_pin" };
  const others: Rule[] = [
    { ...rule, id: 2, match: { phone: "254712345678" }, outcome: "expired" },
    { ...rule, id: 3, outcome: "cancelled", times: 1 },
    { ...rule, id: 4, outcome: "completed" },
    { ...rule, id: 5, times: 1 },
  ];
  const lost = { kind: "disconnect", path: "/stkpush.php", probability: 1 } as const;
  const faults: Fault[] = [
    { ...lost, id: 1, path: "/status.php" },
    { ...lost, id: 2, probability: 0.5 },
    { ...lost, id: 3, kind: "rate", per_minute: 5 },
    { ...lost, id: 4, times: 1 },
    { ...lost, id: 5, kind: "error", status: 503, times: 2 },
    { id: 6, kind: "disconnect", probability: 1 },
    { ...lost, id: 7, times: 9 },
  ];
  expect(nextPayments([{ ...rule, times: 2 }, ...others], faults)).toMatchObject([
    { path: "/faults/4", words: "The next stkpush.php request: the answer is lost" },
    { path: "/faults/5", words: "Then 2 stkpush.php requests: HTTP 503" },
    { path: "/rules/1", words: "The next 2 payments: wrong_pin" },
    { path: "/rules/3", words: "Then 1 payment: cancelled" },
  ]);
});
