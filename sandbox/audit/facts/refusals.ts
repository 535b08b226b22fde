import type { AnsweredRequest } from "../../request-log.ts";
import { clean, messageOf } from "../words.ts";

/** Longer than the messages of the sandbox, but for those with long values of the client. */
const MOST_SHOWN = 300;

const CREDENTIALS = ["X-API-Key", "X-API-Secret"];

/** What equal refusals have in common: the status, and what is wrong where. The values that were sent are no causes of their own. */
export function refusalKey(call: AnsweredRequest): string {
  const { status, fault, refusal } = call;
  const issues = refusal?.issues.map(({ path, rule }) => `${path}: ${rule}`).sort();
  return `${status} ${fault} ${refusal?.kind} ${issues?.join("; ")} ${missingHeaders(call).join()}`;
}

/** The refusal in words. An answer to wrong credentials does not tell which header is wrong; the log knows which is missing. */
export function sentenceOf(call: AnsweredRequest): string {
  const missing = missingHeaders(call);
  const more = missing.length === 0 ? "" : ` (missing: ${missing.join(" and ")})`;
  return clean(messageOf(call), MOST_SHOWN) + more;
}

const missingHeaders = ({ status, headers, isInjected }: AnsweredRequest): readonly string[] =>
  status === 401 && !isInjected ? CREDENTIALS.filter((name) => !headers.get(name)) : [];
