import { Refusal } from "../../domain/error.ts";
import { toPending } from "../rows.ts";
import type { TransactionStore } from "../store.ts";
import { type ClaimParts, claimDue, firstOfEach } from "./claim.ts";
import type { Numbering } from "./numbering.ts";
import { createReads, type ReadsParts } from "./reads.ts";
import { fromRow } from "./rows.ts";
import { createWrites, type WritesParts } from "./writes.ts";

/** Transactions one by one. */
export function createTransactionStore(parts: WritesParts & ReadsParts, numbering: Numbering): TransactionStore {
  const { attempts, unsettled } = parts;
  const { requestIds, next } = numbering;
  const writes = createWrites(parts);
  const claimParts: ClaimParts = { ...parts, toPending: (row) => toPending(fromRow(row), requestIds) };
  /** Set while a reset runs: writes that start later wait for it. */
  let gate: Promise<unknown> | null = null;

  async function forgetAll(before: Promise<unknown> | null): Promise<void> {
    await before?.catch(() => {});
    await Promise.all([writes.inserts.whenEmpty(), writes.outcomes.whenEmpty()]);
    unsettled.clear();
    await attempts.write(({ query }) => query("TRUNCATE transactions, day_totals, deliveries"));
  }

  /** Call it before outcomes are written. */
  async function prepare(): Promise<void> {
    if (gate) await gate.catch(() => {});
    await unsettled.settle((outcome) => writes.outcomes.add([outcome]));
  }

  return {
    ...createReads(parts, numbering),
    ...writes,

    async identify(createdAtMs, random) {
      return requestIds.issue(await next(), createdAtMs, random);
    },

    async insert(pending) {
      if (gate) await gate.catch(() => {});
      await writes.inserts.add(pending);
    },

    async resolveDue(nowMs, limit, decide) {
      await prepare();
      const claimed = await claimDue(claimParts, nowMs, limit, decide);
      return [...unsettled.take(), ...claimed];
    },

    async record<T extends { readonly id: number }>(outcomes: readonly T[]): Promise<T[]> {
      await prepare();
      const firsts = firstOfEach(outcomes);
      if (firsts.length === 0) return [];
      return (await writes.outcomes.add(firsts as never)) as unknown as T[];
    },

    async clear() {
      const mine = forgetAll(gate);
      gate = mine;
      try {
        await mine;
      } finally {
        if (gate === mine) gate = null;
      }
    },

    async save() {
      throw new Refusal(
        "conflict",
        "a database that several replicas share has no snapshots: restoring one would take payments from the others",
      );
    },
  };
}
