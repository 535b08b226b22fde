import { FAILURE_AREAS } from "./failures.ts";
import { PAYMENT_AREAS } from "./payments.ts";
import { PROMPT_AREAS } from "./prompts.ts";
import { REGISTRY_AREA } from "./registry.ts";
import type { Area, Rows } from "./row.ts";
import { SERVER_AREAS } from "./server.ts";
import { STATE_AREAS } from "./state.ts";

/** All calls of the control API. */
export const AREAS: readonly Area[] = [
  ...PAYMENT_AREAS,
  ...PROMPT_AREAS,
  ...FAILURE_AREAS,
  ...STATE_AREAS,
  REGISTRY_AREA,
  ...SERVER_AREAS,
];

export const ROWS: Rows = Object.assign({}, ...AREAS.map(({ rows }) => rows));
