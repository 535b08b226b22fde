/**
 * How long tests wait, in one place. Only a test that fails waits so long: a busy machine must not let one fail.
 */

/** For a whole test; longer than PATIENCE_MS, so that a test can say what it waited for. */
export const TEST_TIMEOUT_MS = 120_000;

/** For a text, an answer, or the end of a process. */
export const PATIENCE_MS = 50_000;

/** How much longer than documented a busy machine may take. */
export const SLACK_MS = 5000;
