/**
 * How long tests wait, in one place. Only a test that fails waits so long: a busy machine must not make one fail.
 */

/** For a whole test; longer than what it waits for, so that it can say what did not come. */
export const TEST_TIMEOUT_MS = 120_000;

/** For a text, an answer, or the end of a process. */
export const PATIENCE_MS = 50_000;

/** What a busy machine may add to a time that the documents promise. */
export const SLACK_MS = 5000;
