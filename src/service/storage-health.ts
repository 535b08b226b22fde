import { atMost, type Clock } from "../domain/clock.ts";
import { createRepeater } from "../domain/repeater.ts";
import { Unanswered } from "../store/store.ts";
import type { Vitals } from "../store/vitals.ts";

/** A payment that was stored proves for this long that the next one can be stored, too. */
const PROOF_MS = 1000;

/** The pause after a probe that failed. A probe of a locked SQLite file blocks the process. */
const PROBE_PAUSE_MS = 250;

/** How long a health check waits for a probe. */
const PROBE_TIMEOUT_MS = 2000;

/** How often the files of the database are looked for. */
const WATCH_MS = 1000;

/** How often the log says that the database still fails. */
const TELL_MS = 60_000;

/** After this time without a fault, the next one is news. */
const QUIET_MS = 10_000;

interface Parts {
  readonly store: { readonly vitals: Vitals };
  /** Real time. */
  readonly realClock: Clock;
  readonly reportFault: (error: unknown) => void;
}

/** Whether payments can be stored, and what the log says while they cannot. */
export class StorageHealth {
  readonly #vitals: Vitals;
  readonly #clock: Clock;
  readonly #report: (error: unknown) => void;
  #storedAtMs = Number.NEGATIVE_INFINITY;
  /** Why the last payment, or the last probe, could not be stored. */
  #whyNotWritable: string | null = null;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  #probing: Promise<void> | null = null;
  #faultAtMs = Number.NEGATIVE_INFINITY;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #untold = 0;

  constructor({ store, realClock, reportFault }: Parts) {
    this.#vitals = store.vitals;
    this.#clock = realClock;
    this.#report = reportFault;
  }

  /** A payment was stored. */
  succeed(): void {
    this.#storedAtMs = this.#clock.nowMs();
    this.#whyNotWritable = null;
  }

  /** A payment was not answered. Only an error of the engine keeps others from being stored. */
  fail(error: unknown): void {
    this.#whyNotWritable = this.#vitals.engineFailureOf(error)?.reason ?? this.#whyNotWritable;
    // Its client gets a refusal, which nobody else reports.
    if (error instanceof Unanswered) this.reportFault(error);
  }

  /** Why no payment can be stored now, in a few words without secrets; null if one can. */
  async whyNotWritable(): Promise<string | null> {
    const standing = this.#vitals.whyNotWritable();
    if (standing !== null) return standing;
    if (this.#whyNotWritable === null && this.#clock.nowMs() - this.#storedAtMs <= PROOF_MS) return null;
    if (this.#clock.nowMs() - this.#probedAtMs >= PROBE_PAUSE_MS) this.#probing ??= this.#probe();
    if (this.#probing === null) return this.#whyNotWritable;
    const isLate = (await atMost(this.#clock, PROBE_TIMEOUT_MS, this.#probing)) === null;
    return this.#whyNotWritable ?? (isLate ? "the database has stored nothing for 2 s" : null);
  }

  /**
   * Looks each second whether the file of the database is in its place, and says once when it is not, and when it is again.
   * @returns a function that ends it
   */
  watch(): () => void {
    let wasMissing = false;
    const work = () => {
      const missing = this.#vitals.findMissing();
      if (missing && !wasMissing) this.reportFault(missing);
      else if (!missing && wasMissing) this.#report(new Error("the files are in their place again"));
      wasMissing = missing !== null;
    };
    work();
    const watch = createRepeater({ clock: this.#clock, everyMs: WATCH_MS, work, onError: this.#report });
    watch.start();
    return watch.stop;
  }

  async #probe(): Promise<void> {
    try {
      await this.#vitals.probe();
      this.succeed();
    } catch (error) {
      this.#whyNotWritable = this.#vitals.engineFailureOf(error)?.reason ?? "an error, which the log has";
      this.#probedAtMs = this.#clock.nowMs();
      this.reportFault(error);
    }
    this.#probing = null;
  }

  /** Reports an error that no caller gets. For an error of the engine: once what helps, then once a minute how often it came. */
  readonly reportFault = (error: unknown): void => {
    const trouble = this.#vitals.engineFailureOf(error);
    if (trouble === null) {
      this.#report(error);
      return;
    }
    const nowMs = this.#clock.nowMs();
    const isNews = this.#storedAtMs >= this.#faultAtMs && nowMs - this.#faultAtMs > QUIET_MS;
    this.#faultAtMs = nowMs;
    this.#untold += 1;
    if (!isNews && nowMs - this.#toldAtMs < TELL_MS) return;
    const often = this.#untold > 1 ? ` (${this.#untold} times since the last such line)` : "";
    this.#report(new Error(`the database fails: ${trouble.reason}${often}; ${trouble.advice}`));
    this.#toldAtMs = nowMs;
    this.#untold = 0;
  };
}
