import { EXIT } from "./failure.ts";

/** The signals that ask a process to end, each with the exit code of one that ends by it. */
export const ENDING_SIGNALS = [
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", EXIT.terminated],
  ["SIGHUP", EXIT.hungUp], // the terminal was closed
] as const;
