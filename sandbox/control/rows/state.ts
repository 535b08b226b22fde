import { invalid } from "../../../src/domain/error.ts";
import type { SnapshotOnWire } from "../shapes/steering.ts";
import type { Area, CallCommand, Column, CommandArgument, Tool, Word } from "./row.ts";

/** The clock, snapshots and the reset. */

const CLOCK: Word = {
  name: "clock",
  says: "show, stop or move the sandbox's clock",
  prints: "the time, in Nairobi",
  shows: { sentence: ({ message }: { readonly message: string }) => message, quiet: "now" },
  page: "steering",
};

/** It answers when all payments that become due are resolved, maybe a million. */
export const MOVE_TIMEOUT_MS = 600_000;

const freeze: CallCommand = {
  of: CLOCK,
  name: "freeze",
  alias: "stop",
  says: "stop the clock",
  sends: () => ({ freeze: true }),
  timeoutMs: MOVE_TIMEOUT_MS,
  examples: [["momo clock freeze", "stop the time"]],
};

const advance: CallCommand = {
  of: CLOCK,
  name: "advance",
  says: "move it forward, and resolve what falls due",
  argument: { name: "duration", isOptional: true, means: "such as 90s, or 31d", value: "move" },
  options: [{ flag: "--to <time>", means: "to this time in Nairobi, such as '2026-11-27 00:30'", value: "instant" }],
  sends({ to }: { readonly to?: string }, duration) {
    if ((duration === "") === (to === undefined)) {
      throw invalid("give either DURATION or --to, such as 90s or --to '2026-11-27 00:30'");
    }
    return to === undefined ? { advance: duration } : { to };
  },
  timeoutMs: MOVE_TIMEOUT_MS,
  examples: [["momo clock advance 90s", "let all prompts expire"]],
};

const resume: CallCommand = {
  of: CLOCK,
  name: "resume",
  alias: "start",
  says: "start it again",
  sends: () => ({ resume: true }),
  timeoutMs: MOVE_TIMEOUT_MS,
  examples: [["momo clock resume", "time goes on"]],
};

const CLOCK_TOOL: Tool = {
  name: "clock",
  use: "Stops the clock of the sandbox, moves it forward, or starts it again. What falls due by a move is resolved at once. Only state with action reset or restore sets it back.",
  means: {
    freeze: "stops the clock",
    resume: "lets the clock run again",
    advance: "moves the clock forward, such as 60s",
  },
};

const SNAPSHOT_COLUMNS: readonly Column<SnapshotOnWire>[] = ["name", { name: "transactions", align: "right" }, "at"];

const SNAPSHOT: Word = {
  name: "snapshot",
  says: "save the whole state, and restore it",
  prints: "the names",
  shows: "done",
  page: "snapshots",
};

const snapshotName: CommandArgument = {
  name: "name",
  means: "letters, digits, - and _, at most 64",
  value: "name",
};

/** A large snapshot is slow on a busy machine. */
const LARGE_TIMEOUT_MS = 60_000;

const STATE: Tool = {
  name: "state",
  use: "Forgets all payments and settings of the sandbox (not what the audit found), or saves and restores them under a name.",
  means: { name: "of the snapshot" },
  destroys: true,
};

export const STATE_AREAS: readonly Area[] = [
  {
    load: async () => (await import("../clock.ts")).CLOCK_CALLS,
    rows: {
      "/clock": {
        GET: {
          summary: "The time of the sandbox",
          part: "clock",
          commands: [{ of: CLOCK, name: "show", says: "show what time it is for the sandbox" }],
          actions: [{ of: CLOCK_TOOL, name: "show" }],
        },
        POST: {
          summary: "Stop the clock, move it forward, or start it again",
          part: "clock",
          commands: [freeze, advance, resume],
          actions: [
            { of: CLOCK_TOOL, name: "set" },
            { of: CLOCK_TOOL, name: "advance" },
            { of: CLOCK_TOOL, name: "freeze", fixed: { freeze: true } },
            { of: CLOCK_TOOL, name: "resume", fixed: { resume: true } },
          ],
        },
      },
    },
  },
  {
    load: async () => (await import("../snapshots.ts")).STATE_CALLS,
    rows: {
      "/snapshots": {
        GET: {
          summary: "The snapshots",
          part: "snapshots",
          commands: [
            {
              of: SNAPSHOT,
              name: "list",
              says: "list the snapshots",
              shows: { list: "snapshots", quiet: "name", columns: SNAPSHOT_COLUMNS, next: "momo snapshot save NAME" },
            },
          ],
          actions: [{ of: STATE, name: "snapshots" }],
        },
      },
      "/snapshots/NAME": {
        PUT: {
          summary: "Save the state",
          part: "snapshots",
          commands: [
            {
              of: SNAPSHOT,
              name: "save",
              says: "save the whole state",
              argument: snapshotName,
              timeoutMs: LARGE_TIMEOUT_MS,
              examples: [["momo snapshot save checkout", "save the whole state"]],
            },
          ],
          actions: [{ of: STATE, name: "save", id: "name" }],
        },
        DELETE: {
          summary: "Remove a snapshot",
          part: "snapshots",
          commands: [{ of: SNAPSHOT, name: "delete", says: "remove one", argument: snapshotName }],
          actions: [{ of: STATE, name: "remove", id: "name" }],
        },
      },
      "/snapshots/NAME/restore": {
        POST: {
          summary: "Restore the state",
          part: "restore",
          commands: [
            {
              of: SNAPSHOT,
              name: "restore",
              says: "restore the whole state, the clock too",
              argument: snapshotName,
              timeoutMs: LARGE_TIMEOUT_MS,
              examples: [["momo snapshot restore checkout", "and restore it, the clock too"]],
            },
          ],
          actions: [{ of: STATE, name: "restore", id: "name" }],
        },
      },
      "/reset": {
        POST: {
          summary: "Remove transactions, rules, faults and log, and reset the clock; merchants, accounts and keys stay",
          part: "reset",
          actions: [{ of: STATE, name: "reset" }],
        },
      },
    },
  },
];
