import type { ValueName } from "../../sandbox/control/rows/row.ts";
import { MAX_WEBHOOK_TIMES } from "../../sandbox/webhooks/settings.ts";
import { MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH } from "../../src/domain/transaction.ts";
import {
  number,
  readAmount,
  readDurationText,
  readId,
  readInstant,
  readMove,
  readOutcome,
  readPath,
  readPathPart,
  readText,
  readTypedPhone,
  readUpTo,
  webhookUrlReader,
} from "../terminal/options.ts";

/** Reads what is typed. @param what named in the refusal, if commander does not name it */
type Reader = (text: string, what: string) => unknown;

/** A text that may have `*` at its end, where it is the start of a text. */
const start = (most: number) => readText(0, most + 1);

export const READERS: Readonly<Record<ValueName, Reader>> = {
  outcome: readOutcome,
  // The server reads the start of phones.
  phones: (text, what) => (text.endsWith("*") ? text : readTypedPhone([text], what)),
  amount: readAmount,
  id: readId,
  reference: start(MAX_REFERENCE_LENGTH),
  description: start(MAX_DESCRIPTION_LENGTH),
  duration: readDurationText,
  move: readMove,
  instant: readInstant,
  uses: readUpTo(1_000_000),
  name: readPathPart,
  path: readPath,
  url: (text, what) => webhookUrlReader(what)(text),
  copies: number(`a whole number from 0 to ${MAX_WEBHOOK_TIMES}`, /^[0-9]{1,4}$/, MAX_WEBHOOK_TIMES),
};
