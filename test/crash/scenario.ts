/** What a scenario did, for the table at the end. */
export interface Figures {
  readonly scenario: string;
  readonly rounds: number;
  /** Payments that were answered and then held against what the server has. */
  readonly answered: number;
  /** Requests that the server died under, or refused for want of space: stored once or not at all. */
  readonly unanswered: number;
  readonly note: string;
}

export interface Options {
  readonly rounds: number;
  readonly seed: number;
  readonly progress: (text: string) => void;
}

/** @throws an error that says what was not as promised */
export type Scenario = (options: Options) => Promise<Figures>;

/** Where this machine cannot do what it takes. */
export function leftOut(scenario: string, why: string): Figures {
  return { scenario, rounds: 0, answered: 0, unanswered: 0, note: `left out: ${why}` };
}
