/**
 * How long tests wait. Only a failing test waits so long, so the values are generous: a busy machine must not fail a test.
 */

/** For a whole test; longer than PATIENCE_MS, so that a test can say what it waited for. */
export const TEST_TIMEOUT_MS = 120_000;

/** For a text, an answer, or the end of a process. */
export const PATIENCE_MS = 50_000;

/** Extra time for a busy machine, on top of a documented duration. */
export const SLACK_MS = 5000;
