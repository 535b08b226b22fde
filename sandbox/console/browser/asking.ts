import { effect, untracked } from "@preact/signals";
import { api, Refused } from "./api.ts";
import { connection, isLoaded } from "./state.ts";
import { after, throttled } from "./system.ts";

/**
 * Asks the server for parts of the state. One rule for every answer that comes late: it counts only if the page would ask the same
 * question now, has not asked it again since, and has not begun anew.
 */

let generation = 0;
/** Empty each part. */
const forgets: (() => void)[] = [];

/**
 * Empties all parts. From now on, no answer to an earlier question counts: the server was reset, is another one, or events were missed.
 * @returns whether this is still the last beginning
 */
export function beginAnew(): () => boolean {
  generation += 1;
  for (const forget of forgets) forget();
  const mine = generation;
  return () => mine === generation;
}

/**
 * @param question the path to read; null if there is nothing to ask. It is asked for again when the answer is there
 * @returns null if the answer does not count
 */
export async function ask<Answer>(question: () => string | null): Promise<Answer | null> {
  const path = question();
  if (path === null) return null;
  const asked = generation;
  const counts = () => asked === generation && question() === path;
  try {
    const answer = await api.get<Answer>(path);
    return counts() ? answer : null;
  } catch (error) {
    if (counts()) throw error;
    return null;
  }
}

/** A part of the state. When the page is loaded, a part whose question changes is asked for by itself. */
export interface Part {
  /** Asks at once. Throws {@link Refused}. */
  load(): Promise<void>;
  /** Asks soon, because something has changed; changes that come together share one question. */
  refresh(): void;
}

interface PartOptions<Answer> {
  /** The path to read; null while nothing shows it. */
  readonly question: () => string | null;
  readonly take: (answer: Answer) => void;
  /** What the server says instead of an answer, if the page shows it. */
  readonly refuse?: (refusal: Refused) => void;
  /** Removes what belongs to another question, or to the time before a reset. */
  readonly clear?: () => void;
  /** Between two questions; it may grow with the answers. */
  readonly pauseMs?: () => number;
  /** How long a question stays the same before it is asked, because a person may still type. */
  readonly settleMs?: number;
}

export function partOf<Answer>(options: PartOptions<Answer>): Part {
  const { question, take, refuse, clear, pauseMs = () => 250, settleMs = 0 } = options;
  let questions = 0;
  /** The question whose answer is shown. */
  let answered: string | null = null;

  async function load(): Promise<void> {
    questions += 1;
    const mine = questions;
    const asked = question();
    try {
      const answer = await ask<Answer>(() => (mine === questions ? question() : null));
      if (answer === null) return;
      take(answer);
    } catch (error) {
      if (!refuse || !(error instanceof Refused) || error.status === null || error.status === 401) throw error;
      refuse(error);
    }
    answered = asked;
  }
  const refresh = throttled(pauseMs, () => untracked(() => quietly(load)));

  function forget(): void {
    answered = null;
    clear?.();
  }
  forgets.push(forget);

  let cancel = () => {};
  effect(() => {
    const asked = question();
    cancel();
    if (asked === answered) return;
    forget();
    // What is opened while the server is lost is asked for when it is back.
    if (asked !== null && isLoaded.value && connection.value !== "lost") cancel = after(settleMs, refresh);
  });
  return { load, refresh };
}

/** Ignores errors of calls that are optional or will be repeated. The stream reports a lost server. */
export async function quietly(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
