import { z } from "zod";
import { counted } from "../../src/domain/counted.ts";
import { invalid, Refusal, shown, whatCame } from "../../src/domain/error.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import { succeed } from "../../src/http/reply.ts";
import { type Calls, type ControlContext, call, type Snapshot, type Snapshots } from "./context.ts";
import { noBody } from "./input.ts";
import { snapshot } from "./shapes/steering.ts";

const MAX_SNAPSHOTS = 20;

/** A restore of this many takes a second. Each needs about 200 bytes of memory. */
const MAX_SAVED_TRANSACTIONS = 100_000;
const MAX_SAVED = 200_000;

/** The snapshots, and the reset. */
export const STATE_CALLS: Calls = {
  "/snapshots": {
    GET: call({ snapshots: z.array(snapshot) }, {}, async ({ snapshots: { byName } }) => {
      const snapshots = [...byName.values()].map(({ shown }) => shown).sort((a, b) => (a.name < b.name ? -1 : 1));
      return succeed(counted(snapshots.length, "snapshot"), { snapshots });
    }),
  },
  "/snapshots/NAME": {
    /** It replaces a snapshot of the same name. */
    PUT: call({ snapshot }, { body: noBody }, async (context, input) => {
      const { request, id: name, keepOpen } = input;
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
        const rule = "must be 1 to 64 letters, digits, - and _";
        throw invalid(`the name ${rule}${whatCame(name)}`, [{ path: "name", rule, received: shown(name) }]);
      }
      keepOpen(request);
      const saved = await context.snapshots.mutex.run(() => save(name, context));
      return succeed(`saved as ${name}`, { snapshot: saved.shown });
    }),
    DELETE: call({}, {}, async ({ snapshots }, { id: name }) => {
      await snapshots.mutex.run(async () => {
        const { saved } = find(snapshots, name);
        snapshots.byName.delete(name);
        await saved.drop();
      });
      return succeed(`${name} is removed`, {});
    }),
  },
  "/snapshots/NAME/restore": {
    /** The clock too. Log and deliveries start empty; the audit begins a new chapter. Merchants, accounts and keys do not change. */
    POST: call({ snapshot }, { body: noBody }, async (context, input) => {
      const { request, id: name, keepOpen } = input;
      keepOpen(request);
      const restored = await context.service.replaceAll("a snapshot was restored", () =>
        context.snapshots.mutex.run(() => restore(name, context)),
      );
      const message = `${name} is restored; merchants, accounts and keys have not changed`;
      return succeed(message, { snapshot: restored.shown });
    }),
  },
  "/reset": {
    POST: call({}, { body: noBody }, async ({ service, steering, replica, state, rememberClock }) => {
      if (replica?.allowsReset === false) {
        throw new Refusal(
          "conflict",
          "other servers share this database, and a reset would remove their payments: start momo serve with --allow-reset",
        );
      }
      await service.replaceAll("the sandbox was reset", async () => {
        await service.forgetTransactions();
        await steering.change(() => {
          for (const part of Object.values(state)) part.reset();
        });
        rememberClock();
      });
      return succeed("reset; merchants, accounts, keys and findings are kept", {});
    }),
  },
};

async function save(name: string, context: ControlContext): Promise<Snapshot> {
  const { byName } = context.snapshots;
  const others = [...byName].filter(([other]) => other !== name);
  if (others.length >= MAX_SNAPSHOTS) {
    throw new Refusal("conflict", `there are ${MAX_SNAPSHOTS} snapshots already: delete one`);
  }
  const room = MAX_SAVED - others.reduce((sum, [, { saved }]) => sum + saved.count, 0);
  const saved = await context.service.saveTransactions(Math.min(MAX_SAVED_TRANSACTIONS, room));
  if (!saved) {
    throw new Refusal(
      "conflict",
      `a snapshot can have ${MAX_SAVED_TRANSACTIONS} transactions, and all snapshots together ${MAX_SAVED}: delete some, or reset`,
    );
  }
  const replaced = byName.get(name);
  const { clock, state } = context;
  const parts = [state.rules, state.default, state.faults, state.webhook].map((part) => [part, part.save()] as const);
  const atMs = clock.nowMs();
  const at = { at: formatTimestamp(atMs), at_ms: atMs, frozen: clock.isFrozen };
  const counts = {
    transactions: saved.count,
    rules: state.rules.list().length,
    faults: state.faults.faults.length,
  };
  const snapshot: Snapshot = { shown: { name, ...counts, ...at }, saved, parts };
  byName.set(name, snapshot);
  await replaced?.saved.drop();
  return snapshot;
}

async function restore(name: string, context: ControlContext): Promise<Snapshot> {
  const { service, clock, waitingRoom, log, audit, snapshots } = context;
  const snapshot = find(snapshots, name);
  const { at_ms: atMs, frozen } = snapshot.shown;
  const [nowMs, wasFrozen] = [clock.nowMs(), clock.isFrozen];
  // Set the clock back first, so that no restored payment is due too early.
  clock.show(Math.min(nowMs, atMs), true);
  try {
    await service.restoreTransactions(snapshot.saved);
  } catch (error) {
    clock.show(nowMs, wasFrozen);
    throw error;
  }
  for (const [part, content] of snapshot.parts) {
    part.reset(); // cancels the deliveries in progress
    part.load(content);
  }
  log.clear();
  audit.beginChapter();
  waitingRoom.forget();
  clock.show(atMs, frozen);
  context.rememberClock();
  await service.resolver.resolveDue();
  return snapshot;
}

function find({ byName }: Snapshots, name: string): Snapshot {
  const snapshot = byName.get(name);
  if (!snapshot) {
    const names = [...byName.keys()].join(", ");
    throw new Refusal(
      "not_found",
      `there is no snapshot ${shown(name)}; ${names === "" ? "none is saved" : `saved: ${names}`}`,
    );
  }
  return snapshot;
}
