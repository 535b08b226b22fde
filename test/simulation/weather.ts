/** What goes wrong, and how often: for each place where something can, the weights of what happens there. */
export interface Weather {
  /** `breaks` throws, `stalls` never answers, `late` answers after some time. */
  readonly push: Readonly<Record<PushFault, number>>;
  /** `puts off` wants to be asked later, `differs` says something else than the network did, `lies` what cannot be. */
  readonly check: Readonly<Record<CheckFault, number>>;
  /** `undone` fails after the writes; `full` and `busy` are SQLite's own; the process dies around the commit or in it. */
  readonly commit: Readonly<Record<CommitFault, number>>;
}

export type PushFault = "none" | "refuses" | "breaks" | "stalls" | "late" | "dies";
export type CheckFault =
  | "none"
  | "breaks"
  | "stalls"
  | "late"
  | "puts off"
  | "puts off late"
  | "differs"
  | "differs late"
  | "lies"
  | "dies";
export type CommitFault =
  | "none"
  | "refused"
  | "undone"
  | "full"
  | "busy"
  | "dies before"
  | "dies within"
  | "dies after";

const FAIR: Weather = {
  push: { none: 1, refuses: 0, breaks: 0, stalls: 0, late: 0, dies: 0 },
  check: {
    ...{ none: 1, breaks: 0, stalls: 0, late: 0, "puts off": 0, "puts off late": 0 },
    ...{ differs: 0, "differs late": 0, lies: 0, dies: 0 },
  },
  commit: { none: 1, refused: 0, undone: 0, full: 0, busy: 0, "dies before": 0, "dies within": 0, "dies after": 0 },
};

const NETWORK: Pick<Weather, "push" | "check"> = {
  push: { none: 6, refuses: 1, breaks: 1, stalls: 0.5, late: 1.5, dies: 0 },
  check: {
    ...{ none: 4, breaks: 1, stalls: 1, late: 2, "puts off": 1, "puts off late": 1 },
    ...{ differs: 1, "differs late": 1, lies: 1, dies: 0 },
  },
};

const DISK: Pick<Weather, "commit"> = {
  commit: { ...FAIR.commit, none: 5, refused: 1, undone: 1, full: 1, busy: 1 },
};

const DEATH: Weather = {
  push: { ...FAIR.push, none: 8, dies: 1 },
  check: { ...FAIR.check, none: 8, dies: 1 },
  commit: { ...FAIR.commit, none: 8, "dies before": 1, "dies within": 1, "dies after": 1 },
};

/** The network says and does not say what it likes; the disk fails; the process dies; or all of it. */
export const WEATHERS = {
  fair: FAIR,
  "rough network": { ...FAIR, ...NETWORK },
  "failing disk": { ...FAIR, ...DISK },
  deadly: DEATH,
  storm: {
    push: { ...NETWORK.push, dies: 0.3 },
    check: { ...NETWORK.check, dies: 0.3 },
    commit: { ...DISK.commit, "dies before": 0.2, "dies within": 0.2, "dies after": 0.2 },
  },
} as const satisfies Record<string, Weather>;

export type WeatherName = keyof typeof WEATHERS;

/** An error of ours, so that it can be told from one of theirs. */
export class InjectedFault extends Error {
  override readonly name = "InjectedFault";
}
