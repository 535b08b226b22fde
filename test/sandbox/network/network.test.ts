import { describe, expect, test } from "bun:test";
import { createNetwork } from "../../../sandbox/network/network.ts";
import { OUTCOMES, outcomesView } from "../../../sandbox/network/outcomes.ts";
import { RESULT_CODES } from "../../../src/domain/result-codes.ts";
import type { PendingTransaction } from "../../../src/domain/transaction.ts";
import { CREATED_AT_MS, pendingOf } from "../../support/payments.ts";
import { promptOf } from "../../support/prompts.ts";

const network = () => createNetwork({ fallback: { outcome: "completed", afterMs: 3000 } });

const withMemo = (memo: string): PendingTransaction => ({ ...pendingOf(), id: 7, memo });
const announced = outcomesView().filter(({ name }) =>
  OUTCOMES.some((o) => o.name === name && o.ending.by === "network"),
);

describe("a push", () => {
  test("returns a memo and when to ask", async () => {
    const pushed = await network().push(promptOf());
    expect(pushed).toEqual({ memo: expect.any(String), checkAtMs: CREATED_AT_MS + 3000 });
  });

  test.each(["silent", "manual"])("that ends %s is asked about only at the deadline", async (instruction) => {
    const prompt = promptOf({ instruction });
    expect((await network().push(prompt)).checkAtMs).toBe(prompt.expiresAtMs);
  });
});

describe("a check", () => {
  test.each(announced)(
    "$name: nothing before its time, and then the code and the text",
    async ({ name, status, code }) => {
      const { memo, checkAtMs } = await network().push(promptOf({ instruction: name }));
      expect(await network().check(withMemo(memo), checkAtMs - 1)).toEqual({ status: "pending", checkAtMs });
      const outcome = await network().check(withMemo(memo), checkAtMs);
      expect<unknown>(outcome).toMatchObject({
        status,
        resultCode: code,
        resultDesc: RESULT_CODES[code as keyof typeof RESULT_CODES],
        atMs: checkAtMs,
      });
      expect("receiptNumber" in outcome).toBe(status === "completed");
    },
  );

  test("asked late, it tells when it happened, not when it was asked", async () => {
    const { memo, checkAtMs } = await network().push(promptOf());
    expect(await network().check(withMemo(memo), checkAtMs + 86_400_000)).toMatchObject({ atMs: checkAtMs });
  });

  test("asked twice, it says the same: the receipt number too", async () => {
    const { memo, checkAtMs } = await network().push(promptOf());
    const first = await network().check(withMemo(memo), checkAtMs);
    expect(await network().check(withMemo(memo), checkAtMs + 5000)).toEqual(first);
  });

  test.each(["silent", "manual"])("%s: the network never answers", async (instruction) => {
    const { memo } = await network().push(promptOf({ instruction }));
    for (const afterMs of [0, 3000, 59_999, 60_000, 9_999_999]) {
      const answer = await network().check(withMemo(memo), CREATED_AT_MS + afterMs);
      expect(answer).toEqual({ status: "pending", checkAtMs: CREATED_AT_MS + 60_000 });
    }
  });

  test("what was decided at the push stands in the memo: another default changes nothing", async () => {
    const { memo, checkAtMs } = await network().push(promptOf());
    const restarted = createNetwork({ fallback: { outcome: "cancelled", afterMs: 1 } });
    expect(await restarted.check(withMemo(memo), checkAtMs)).toMatchObject({ status: "completed" });
  });
});
