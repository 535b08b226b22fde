import { effect, type Signal, signal, untracked } from "@preact/signals";
import { api, Refused } from "./api.ts";
import { after, throttled } from "./system.ts";

/**
 * Asks the server for parts of the state. One rule for every answer that comes late: it counts only if the page would ask the same
 * question now, has not asked it again since, and has not begun anew.
 */

export const connection = signal<"connecting" | "live" | "lost">("connecting");
/** Whether everything was loaded once. After that, events are enough. */
export const isLoaded = signal(false);

let generation = 0;
const parts: (Pick<Part<unknown>, "load" | "isCurrent"> & { readonly forget: () => void })[] = [];

/**
 * Empties all parts. From now on, no answer to an earlier question counts: the server was reset, is another one, or events were missed.
 * @returns whether this is still the last beginning
 */
export function beginAnew(): () => boolean {
  generation += 1;
  isLoaded.value = false;
  for (const { forget } of parts) forget();
  const mine = generation;
  return () => mine === generation;
}

/** Asks for each part that has no answer. Throws {@link Refused}. */
export async function loadMissing(): Promise<void> {
  const missing = parts.filter(({ isCurrent }) => !isCurrent());
  await Promise.all(missing.map(({ load }) => load()));
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

/**
 * A part of the state: a signal with what the last answer shows. When the page is loaded, a part whose question changes is asked for by
 * itself.
 */
export interface Part<Value> extends Signal<Value> {
  /** Asks at once. Throws {@link Refused}. */
  load(): Promise<void>;
  /** Asks soon, because something has changed; changes that come together share one question. */
  refresh(): void;
  /** Whether the question of now is answered. */
  isCurrent(): boolean;
}

interface PartOptions<Answer, Value> {
  /** The path to read; null while nothing shows it. */
  readonly question: () => string | null;
  /** The value before the first answer. */
  readonly none: Value;
  /** @param isOther whether the last answer was to another question, or came before a reset */
  readonly read: (answer: Answer, isOther: boolean) => Value;
  /** The value of a refusal, if the page shows it. */
  readonly refused?: (refusal: Refused) => Value;
  /** Whether the value is none again while another question is asked, and after a reset. If not, it stays until the next answer. */
  readonly clears?: boolean;
  /** Between two questions; it may grow with the answers. */
  readonly pauseMs?: () => number;
  /** How long a question stays the same before it is asked, because a person may still type. */
  readonly settleMs?: number;
}

const PAUSE_MS = 400;

export function partOf<Answer, Value>(options: PartOptions<Answer, Value>): Part<Value> {
  const { question, none, read, refused, clears, pauseMs = () => PAUSE_MS, settleMs = 0 } = options;
  const value = signal(none);
  let questions = 0;
  /** The question whose answer is shown. */
  const answered = signal<string | null>(null);

  async function load(): Promise<void> {
    questions += 1;
    const mine = questions;
    const asked = question();
    try {
      const answer = await ask<Answer>(() => (mine === questions ? question() : null));
      if (answer === null) return;
      value.value = read(answer, answered.peek() !== asked);
    } catch (error) {
      if (!refused || !(error instanceof Refused) || error.status === null || error.status === 401) throw error;
      value.value = refused(error);
    }
    answered.value = asked;
  }
  const refresh = throttled(pauseMs, () => untracked(() => quietly(load)));

  function forget(): void {
    answered.value = null;
    if (clears) value.value = none;
  }

  let cancel = () => {};
  effect(() => {
    const asked = question();
    cancel();
    if (asked === answered.peek()) return;
    forget();
    // What is opened while the server is lost is asked for when it is back.
    if (asked !== null && isLoaded.value && connection.value !== "lost") cancel = after(settleMs, refresh);
  });
  const isCurrent = () => answered.value !== null && answered.value === question();
  parts.push({ load, forget, isCurrent });
  return Object.assign(value, { load, refresh, isCurrent });
}

/** A list that the answer has under its own name. */
export const listOf = <Row>(name: string, question = () => `/${name}`): Part<readonly Row[]> =>
  partOf<Record<string, readonly Row[]>, readonly Row[]>({
    question,
    none: [],
    read: (answer) => answer[name] ?? [],
  });

/** Ignores errors of calls that are optional or will be repeated. The stream reports a lost server. */
export async function quietly(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
