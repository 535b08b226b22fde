import type { controlClient } from "../client/client.ts";

/** What to do after a refusal, as a tool to call: the refusals of the control API know no tools. */
export async function nextStep(
  refusal: string,
  { reference }: Readonly<Record<string, unknown>>,
  control: ReturnType<typeof controlClient>,
): Promise<string[]> {
  if (refusal.includes("no payment with this checkout request id")) {
    return ["The ids are in list_payments; a refused request has no payment: see audit with action requests"];
  }
  if (refusal.includes("has been answered already")) {
    return [
      "How it ended is in explain_payment; start_payment with outcome manual makes one that only the tool customer ends",
    ];
  }
  if (refusal.includes("only moves forward"))
    return ["The tool state with action reset sets it back, and forgets the payments"];
  if (!refusal.includes("within the time-out")) return [];
  // A help only: a sandbox that does not answer has said so.
  const answers = [control.get("/clock", {}), control.get("/transactions", { search: String(reference), limit: "1" })];
  const [clock, found] = await Promise.all(answers.map((answer) => answer.catch(() => ({}) as Answer)));
  const isUnknown = reference !== undefined && (found?.transactions as unknown[] | undefined)?.length === 0;
  if (isUnknown) {
    return [
      "No payment has this reference: list_payments shows those that there are; a refused request has none: see audit with action requests",
    ];
  }
  return clock?.frozen === true
    ? ["The clock is frozen: call clock with action set and advance, such as 60s, or answer the prompt with customer"]
    : ["If its outcome is manual, answer the prompt with customer; otherwise call clock with action set and advance"];
}

type Answer = Record<string, unknown>;
