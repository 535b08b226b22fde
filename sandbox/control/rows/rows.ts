import { FAILURE_ROWS } from "./failures.ts";
import { PAYMENT_ROWS } from "./payments.ts";
import { PROMPT_ROWS } from "./prompts.ts";
import { REGISTRY_ROWS } from "./registry.ts";
import type { Rows } from "./row.ts";
import { SERVER_ROWS } from "./server.ts";
import { STATE_ROWS } from "./state.ts";

/** All calls of the control API. */
export const ROWS: Rows = {
  ...PAYMENT_ROWS,
  ...PROMPT_ROWS,
  ...FAILURE_ROWS,
  ...STATE_ROWS,
  ...REGISTRY_ROWS,
  ...SERVER_ROWS,
};
