/** What goes wrong, and how often: for each place where something can fail, the weights of what happens there. */
export interface FaultRates {
  readonly push: Weights<PushFault>;
  readonly check: Weights<CheckFault>;
  readonly commit: Weights<CommitFault>;
}

type Weights<Fault extends string> = Readonly<Partial<Record<Fault, number>>>;

/** `breaks` throws, `stalls` never answers, `late` answers after some time. */
export type PushFault = "none" | "refuses" | "breaks" | "stalls" | "late" | "dies";

/** `puts off` asks for a later check, `differs` reports another outcome than the network's, `lies` an impossible one. */
export type CheckFault =
  | ("none" | "breaks" | "stalls" | "late" | "puts off" | "puts off late")
  | ("differs" | "differs late" | "lies" | "dies");

/** `undone` fails after the writes; `full` and `busy` are SQLite's own; the process dies around the commit or in it. */
export type CommitFault =
  | ("none" | "refused" | "undone" | "full" | "busy")
  | ("dies before" | "dies within" | "dies after");

const NONE = { none: 1 } as const;
const PUSH = { none: 6, refuses: 1, breaks: 1, stalls: 0.5, late: 1.5 } as const;
const CHECK = {
  ...{ none: 4, breaks: 1, stalls: 1, late: 4, "puts off": 1, "puts off late": 1 },
  ...{ differs: 1, "differs late": 1, lies: 1 },
} as const;
const COMMIT = { none: 5, refused: 1, undone: 1, full: 1, busy: 1 } as const;

/** Sets of failures: each alone finds other mistakes than all together. */
export const FAULT_SETS = {
  none: { push: NONE, check: NONE, commit: NONE },
  network: { push: PUSH, check: CHECK, commit: NONE },
  disk: { push: NONE, check: NONE, commit: COMMIT },
  deaths: {
    push: { none: 8, dies: 1 },
    check: { none: 8, dies: 1 },
    commit: { none: 8, "dies before": 1, "dies within": 1, "dies after": 1 },
  },
  all: {
    push: { ...PUSH, dies: 0.3 },
    check: { ...CHECK, dies: 0.3 },
    commit: { ...COMMIT, "dies before": 0.2, "dies within": 0.2, "dies after": 0.2 },
  },
} as const satisfies Record<string, FaultRates>;

export type FaultSet = keyof typeof FAULT_SETS;

/** An error that the simulation causes, so that it differs from one of the program. */
export class InjectedFault extends Error {
  override readonly name = "InjectedFault";
}
