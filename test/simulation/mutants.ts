/** A mistake that somebody could make: the same text of one file, said otherwise. The file on disk stays as it is. */
export interface Mutant {
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

/** What each breaks is its name. The simulation must find every one of them. */
export const MUTANTS: Readonly<Record<string, Mutant>> = {
  "a cancelled prompt ends as failed": {
    file: "src/domain/state-machine.ts",
    text: "status: outcome.status, resultCode: outcome.resultCode",
    instead: 'status: "failed", resultCode: outcome.resultCode',
  },
  "an outcome after the deadline counts": {
    file: "src/domain/state-machine.ts",
    text: "if (outcome.atMs >= pending.expiresAtMs) return expire(pending);",
    instead: "",
  },
  "the deadline is a millisecond late": {
    file: "src/domain/state-machine.ts",
    text: "outcome.atMs >= pending.expiresAtMs",
    instead: "outcome.atMs > pending.expiresAtMs",
  },
  "a payment that ends stays in the totals of what is pending": {
    file: "src/store/sqlite/transactions.ts",
    text: "totals.remove(row, PENDING);",
    instead: "",
  },
  "what is counted for a commit that fails is counted once more with the next": {
    file: "src/store/sqlite/commit-queue.ts",
    text: "totals.begin();",
    instead: "",
  },
  "the totals forget which kind was asked for": {
    file: "src/store/sqlite/totals.ts",
    text: "AND kind = coalesce(?, kind)",
    instead: "AND (?, kind) IS NOT NULL",
  },
  "a write is answered before its commit": {
    file: "src/store/sqlite/commit-queue.ts",
    text: "entries.map((entry) => entry.write());",
    instead: "entries.map((entry) => { const value = entry.write(); entry.resolve(value); return value; });",
  },
  "a write that fails alone is answered as if it had not": {
    file: "src/store/sqlite/commit-queue.ts",
    text: "for (const entry of batch) entry.reject(error);",
    instead: "for (const entry of batch) entry.resolve([]);",
  },
  "half a cent is rounded down": {
    file: "src/domain/fee.ts",
    text: "remainder * 2 >= BASIS",
    instead: "remainder * 2 > BASIS",
  },
  "a merchant sees the status of another's payment": {
    file: "src/service/check-status.ts",
    text: "transaction?.merchantId !== merchantId",
    instead: "!transaction",
  },
  "a search finds another merchant's payments": {
    file: "src/store/sqlite/selection.ts",
    text: '"merchant_id = $merchantId"',
    instead: '"$merchantId > 0"',
  },
  "a payment account of another merchant is charged": {
    file: "src/service/start-payment.ts",
    text: "account?.merchantId !== merchantId",
    instead: "!account",
  },
  "a page repeats the last row of the one before": {
    file: "src/store/sqlite/list-reader.ts",
    text: "Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER)",
    instead: "Math.max(0, (number - 1) * limit - 1)",
  },
  "a number is given again after all were forgotten": {
    file: "src/store/sqlite/transactions.ts",
    text: "numbering.keepFloor();",
    instead: "",
  },
  "a later outcome takes the place of the first": {
    file: "src/store/sqlite/transactions.ts",
    text: "$id AND +status =",
    instead: "$id AND 0 =",
  },
  "whoever polls is told that a payment is pending which has ended": {
    file: "src/store/sqlite/transactions.ts",
    text: "polled.forget(outcome.checkoutRequestId);",
    instead: "",
  },
  "a failed commit takes its neighbours along": {
    file: "src/store/sqlite/commit-queue.ts",
    text: "else for (const entry of batch) retryAlone(entry);",
    instead: "else for (const entry of batch) { void retryAlone; entry.resolve([]); }",
  },
  "date_to leaves its day out": {
    file: "src/domain/timestamp.ts",
    text: "return startOfDayMs(day) + DAY_MS;",
    instead: "return startOfDayMs(day);",
  },
  "a revoked key still opens the door": {
    file: "src/service/authenticate.ts",
    text: " || key.revokedAtMs !== null",
    instead: "",
  },
  "a prompt that nobody answers is forgotten": {
    file: "src/service/checks.ts",
    text: "if (nowMs >= pending.expiresAtMs) return expire(pending);",
    instead: "if (nowMs >= pending.expiresAtMs) return { ...pending, checkAtMs: pending.expiresAtMs };",
  },
  "a provider that never answers holds up everybody": {
    file: "src/service/checks.ts",
    text: "await Promise.race([work, turn]);",
    instead: "await work; void turn;",
  },
  "an answer that comes after its round is lost": {
    file: "src/service/checks.ts",
    text: "if (!isAsking) onLateAnswer();",
    instead: "if (!isAsking) { void onLateAnswer; answered.pop(); inFlight.delete(pending.id); }",
  },
  "when a late answer wants to be asked again is lost": {
    file: "src/service/checks.ts",
    text: "answered.push({ pending, result });",
    instead:
      'if (isAsking || result.status !== "pending") answered.push({ pending, result }); else inFlight.delete(pending.id);',
  },
  "a payment is asked about again while a check is in flight": {
    file: "src/service/checks.ts",
    text: "!inFlight.has(pending.id) && ",
    instead: "",
  },
  "what fell due while no process ran is left alone": {
    file: "src/store/sqlite/transactions.ts",
    text: "check_at_ms <= ? ORDER BY",
    instead: "check_at_ms = ? ORDER BY",
  },
  "a rule with times is never used up": {
    file: "sandbox/network/rules.ts",
    text: "times: rule.times - 1",
    instead: "times: rule.times",
  },
};
