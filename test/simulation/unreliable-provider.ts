import { Refusal } from "../../src/domain/error.ts";
import type { Outcome } from "../../src/domain/outcome.ts";
import type { NotYet, Prompt, Provider } from "../../src/domain/provider.ts";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import type { Prng } from "./draws.ts";
import type { SaidOutcome, WorldEvent } from "./events.ts";
import { type CheckFault, InjectedFault, type PushFault } from "./unreliable-database.ts";

export interface ProviderFaults {
  readonly prng: Prng;
  nextPush(): PushFault;
  nextCheck(): CheckFault;
  /** Resolves after this duration; never, if the process is dead. */
  passed(durationMs: number): Promise<void>;
  tell(event: WorldEvent): void;
  /** The service's time. */
  nowMs(): number;
  moment(): number;
  die(): never;
}

/** How an outcome is reported. */
type How = { readonly altered: boolean; readonly late: boolean; readonly doubtful: boolean };

const NEVER: Promise<never> = new Promise(() => {});

/** The longest delays of late answers: some arrive in time, some after every deadline. */
const LATE_MS = [1, 2000, 10_000, 90_000];

/** A network that sometimes refuses, breaks, stalls, answers late, or reports another outcome. */
export function makeUnreliableProvider(network: Provider, faults: ProviderFaults): Provider {
  const { prng, tell } = faults;
  let receipts = 0;

  async function take(prompt: Prompt) {
    try {
      const pushed = await network.push(prompt);
      const { checkoutRequestId, merchantRequestId } = prompt;
      tell({ kind: "push", prompt, result: { checkoutRequestId, merchantRequestId }, consulted: true });
      return pushed;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      tell({ kind: "push", prompt, result: error.kind === "provider" ? "refused" : "invalid", consulted: true });
      throw error;
    }
  }

  function turnDown(prompt: Prompt, result: "refused" | "broken"): never {
    tell({ kind: "push", prompt, result, consulted: false });
    if (result === "broken") throw new InjectedFault("the network breaks");
    throw new Refusal("provider", "STK push initiation failed: the network is down");
  }

  /** Another outcome than the network's; not before the payment, and not in the future. */
  function otherOutcome(pending: PendingTransaction, nowMs: number): Outcome {
    const atMs = prng.pick([nowMs, pending.createdAtMs, Math.min(nowMs, pending.expiresAtMs - 1)]);
    const what = prng.pick(["paid", "cancelled", "failed", "expired"]);
    if (what === "paid") {
      receipts += 1;
      const receiptNumber = `OTHER${receipts}X${prng.int(0, 1e9)}`;
      return { status: "completed", resultCode: 0, resultDesc: "paid after all", receiptNumber, atMs };
    }
    if (what === "cancelled") return { status: "cancelled", resultCode: 1032, resultDesc: "dismissed", atMs };
    if (what === "expired") return { status: "expired", resultCode: 1037, resultDesc: "gave up", atMs };
    return { status: "failed", resultCode: prng.int(1, 9999), resultDesc: "some reason", atMs };
  }

  function putOff(nowMs: number): NotYet {
    return { status: "pending", checkAtMs: nowMs + prng.pick([1, 1500, 10_000, 30_000, 600_000]) };
  }

  /** An impossible outcome: a failure with the code of a payment, or a receipt that other payments have as well. */
  function lie(pending: PendingTransaction, nowMs: number): Outcome | NotYet {
    if (prng.chance(0.4)) return { status: "failed", resultCode: 0, resultDesc: "nonsense", atMs: nowMs };
    const receiptNumber = `TWICE${prng.int(1, 3)}`;
    const paid = { status: "completed", resultCode: 0, resultDesc: "paid twice", receiptNumber, atMs: nowMs } as const;
    return say(pending, paid, { altered: true, late: false, doubtful: true });
  }

  function say(pending: PendingTransaction, answer: Outcome | NotYet, how: How) {
    if (answer.status === "pending") return answer;
    const { status, resultCode, resultDesc, atMs } = answer;
    const receiptNumber = answer.status === "completed" ? answer.receiptNumber : null;
    const outcome: SaidOutcome = { status, resultCode, resultDesc, receiptNumber, atMs };
    const { checkoutRequestId } = pending;
    tell({ kind: "said", checkoutRequestId, outcome, ...how, atMs: faults.nowMs(), moment: faults.moment() });
    return answer;
  }

  async function answer(fault: CheckFault, pending: PendingTransaction, nowMs: number): Promise<Outcome | NotYet> {
    const altered = fault !== "none";
    switch (fault) {
      case "none":
        return say(pending, await network.check(pending, nowMs), { altered, late: false, doubtful: false });
      case "breaks":
        throw new InjectedFault("the network breaks");
      case "stalls":
        return NEVER;
      case "puts off":
        return putOff(nowMs);
      case "puts off late":
        await faults.passed(prng.int(1, prng.pick(LATE_MS)));
        return putOff(nowMs);
      case "differs":
        return say(pending, otherOutcome(pending, nowMs), { altered, late: false, doubtful: false });
      case "late":
      case "differs late": {
        const said = fault === "late" ? await network.check(pending, nowMs) : otherOutcome(pending, nowMs);
        await faults.passed(prng.int(1, prng.pick(LATE_MS)));
        return say(pending, said, { altered, late: true, doubtful: false });
      }
      case "lies":
        return lie(pending, nowMs);
      case "dies":
        return faults.die();
    }
  }

  return {
    async push(prompt) {
      switch (faults.nextPush()) {
        case "none":
          return take(prompt);
        case "refuses":
          return turnDown(prompt, "refused");
        case "breaks":
          return turnDown(prompt, "broken");
        case "stalls":
          return NEVER;
        case "late":
          await faults.passed(prng.int(1, prng.pick(LATE_MS)));
          return take(prompt);
        case "dies":
          return faults.die();
      }
    },

    async check(pending, nowMs) {
      const fault = faults.nextCheck();
      const { checkoutRequestId } = pending;
      tell({ kind: "asked", checkoutRequestId, altered: fault !== "none", atMs: faults.nowMs() });
      let notBeforeMs: number | null = null;
      try {
        const said = await answer(fault, pending, nowMs);
        if (said.status === "pending") notBeforeMs = Math.min(said.checkAtMs, pending.expiresAtMs);
        return said;
      } finally {
        tell({ kind: "heard", checkoutRequestId, notBeforeMs });
      }
    },
  };
}
