import type { RefusalAnswer } from "../../src/http/profile.ts";
import { type Check, check } from "./check-run.ts";
import type { Behaviour } from "./fact.ts";
import type { Exchange } from "./service.ts";

/** What the sentences have in common on which the specification is silent. */

/** A sentence on which the specification is silent. */
export interface Silent {
  readonly id: string;
  readonly section: string;
  readonly sentence: string;
  readonly momo: NonNullable<Check["momo"]>;
}

export const silent = ({ id, section, sentence, momo }: Silent, run: Check["run"]): Check => ({
  ...check(id, section, sentence, run),
  momo,
});

const messageOf = ({ json }: Exchange): string => (typeof json?.message === "string" ? json.message : "");

/** A refusal as a profile has it; none where there is no message. */
export const refusalOf = (exchange: Exchange): RefusalAnswer | null =>
  exchange.json?.success === false && messageOf(exchange) !== ""
    ? { status: exchange.status, message: messageOf(exchange) }
    : null;

/** Some services refuse with 200. */
export const isTaken = ({ status, json }: Exchange): boolean => status === 200 && json?.success !== false;

export const refused = (status: number): Behaviour => ({ kind: "refused", status });
export const accepted: Behaviour = { kind: "accepted" };
/** What a request was answered with, where only that matters. */
export const answered = (exchange: Exchange): Behaviour => (isTaken(exchange) ? accepted : refused(exchange.status));
