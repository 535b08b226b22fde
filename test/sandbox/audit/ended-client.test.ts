import { expect, test } from "bun:test";
import fc from "fast-check";
import { createAuditedClient } from "../../support/audited-client.ts";

const anyAct = fc.record({
  what: fc.constantFrom("pay", "pending", "completed", "list", "deliver", "end", "live", "advance", "freeze"),
  which: fc.nat(2),
  ms: fc.nat(6000),
});

test("when a client has ended, each payment is not followed and has a finding whose end it has not learned", () => {
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 16 }), (acts) => {
      const client = createAuditedClient();
      const payments = new Map<string, { hasEnded: boolean; isAsked: boolean; isLearned: boolean }>();
      for (const { what, which, ms } of acts) {
        if (what === "pay") payments.set(client.push(), { hasEnded: false, isAsked: false, isLearned: false });
        else if (what === "live") client.live(ms);
        else if (what === "advance") client.clock.advance(ms);
        else if (what === "freeze") client.freezeFor(ms);
        const [id, payment] = [...payments][which] ?? [];
        if (!id || !payment) continue;
        if (what === "end") {
          client.end(id, "completed");
          payment.hasEnded = true;
        } else if (what === "pending" || what === "completed") {
          client.poll(id, what);
          payment.isAsked = true;
          payment.isLearned ||= what === "completed";
        } else if (what === "list") {
          client.list("", { [id]: "pending" });
          payment.isAsked = true;
        } else if (what === "deliver" && payment.hasEnded) {
          client.deliver(id, ms % 2 === 0 ? 200 : 500);
          payment.isLearned ||= ms % 2 === 0;
        }
      }
      client.exit();
      const { tally, findings } = client.report({});
      const missing = findings.filter(
        ({ kind, severity }) => ["never_polls", "gives_up_early"].includes(kind) && severity !== "note",
      );
      const unlearned = [...payments].filter(([, { isLearned }]) => !isLearned);
      expect(new Map(missing.map(({ checkout_request_id, kind }) => [String(checkout_request_id), kind]))).toEqual(
        new Map(unlearned.map(([id, { isAsked }]) => [id, isAsked ? "gives_up_early" : "never_polls"])),
      );
      expect(tally.payments.not_followed).toBe(unlearned.length);
    }),
  );
});
