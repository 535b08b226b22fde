import type { Kind } from "./rule.ts";
import { accountOpened } from "./rules/account-opened.ts";
import { chargesTwice } from "./rules/charges-twice.ts";
import { endNotLearned } from "./rules/end-not-learned.ts";
import { failureMisread } from "./rules/failure-misread.ts";
import { filterIgnored } from "./rules/filter-ignored.ts";
import { idempotencyKey } from "./rules/idempotency-key.ts";
import { ignoresFinal } from "./rules/ignores-final.ts";
import { lenientInput } from "./rules/lenient-input.ts";
import { nothingAccepted } from "./rules/nothing-accepted.ts";
import { numberAsText } from "./rules/number-as-text.ts";
import { pollsAfterCompleted } from "./rules/polls-after-completed.ts";
import { pollsTooFast } from "./rules/polls-too-fast.ts";
import { readsFirstPageOnly } from "./rules/reads-first-page-only.ts";
import { referenceReused } from "./rules/reference-reused.ts";
import { refused } from "./rules/refused.ts";
import { repeatsBlindly } from "./rules/repeats-blindly.ts";
import { takesRowAbove, takesWrongRow } from "./rules/takes-wrong-row.ts";
import { unknownId } from "./rules/unknown-id.ts";
import { unknownMember } from "./rules/unknown-member.ts";
import { unknownParameter } from "./rules/unknown-parameter.ts";
import { unknownPath } from "./rules/unknown-path.ts";
import { wrongMethod } from "./rules/wrong-method.ts";

/** All rules, in the order of the documents. */
export const RULES = [
  nothingAccepted,
  endNotLearned,
  chargesTwice,
  ignoresFinal,
  takesWrongRow,
  takesRowAbove,
  failureMisread,
  unknownPath,
  wrongMethod,
  repeatsBlindly,
  filterIgnored,
  pollsAfterCompleted,
  pollsTooFast,
  numberAsText,
  lenientInput,
  unknownId,
  refused,
  readsFirstPageOnly,
  referenceReused,
  idempotencyKey,
  unknownParameter,
  accountOpened,
  unknownMember,
] as const;

export type FindingKind = (typeof RULES)[number]["kind"];

/** The kinds of findings, each once: `takesRowAbove` is another rule of the kind of `takesWrongRow`. */
export const KINDS: readonly Kind<FindingKind>[] = RULES.filter((rule) => rule !== takesRowAbove);

export const KIND_NAMES: readonly FindingKind[] = KINDS.map(({ kind }) => kind);
