import { faultKind } from "./kind.ts";

const MINUTE_MS = 60_000;

/** The times are kept, and each of them is a part of the state that servers share. */
const MAX_PER_MINUTE = 1000;

/** When the requests of each operation were let through, the oldest first. */
type Passed = Readonly<Record<string, readonly number[]>>;

/** Lets a number of requests of each operation through in a minute, and refuses the others. */
export const rate = faultKind({
  words: "a rate limit",
  members: ({ z }) => ({
    per_minute: z
      .int()
      .min(1)
      .max(MAX_PER_MINUTE)
      .describe("of a rate limit: how many requests of each operation pass in a minute of real time; others are 429"),
  }),
  needs: ["per_minute"],
  fields: {
    per_minute: { label: "Per minute", type: "number", first: "20", placeholder: "20" },
  },
  inWords: ({ per_minute }) => `HTTP 429 beyond ${per_minute} a minute`,
  count({ per_minute = 0 }, kept: Passed | null, { operation, atMs }) {
    // The clock of the machine can be set, also back.
    const passed = (kept?.[operation] ?? []).filter((earlierMs) => Math.abs(atMs - earlierMs) < MINUTE_MS);
    const strikes = passed.length >= per_minute;
    return { strikes, kept: { ...kept, [operation]: strikes ? passed : [...passed, atMs] } };
  },
  async strike({ per_minute }, { kept, operation, atMs, fail }) {
    const [oldestMs = atMs] = kept[operation] ?? [];
    const seconds = Math.ceil((oldestMs + MINUTE_MS - atMs) / 1000);
    const message = `fault injected: more than ${per_minute} in a minute; try again after ${seconds} s`;
    return fail(429, message, { "Retry-After": String(seconds) });
  },
});
