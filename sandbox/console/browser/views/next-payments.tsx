import { useRef } from "preact/hooks";
import { callFor, isRequestFailure, nextPayments, REQUEST_FAILURES } from "../logic/next-payments.ts";
import { numberOrText } from "../logic/typed.ts";
import { faults, rules } from "../state.ts";
import { Card } from "./card.tsx";
import { Entries } from "./entries.tsx";
import { CallForm, type Choice, outcomeChoices, useForm } from "./form.tsx";

const FAILURES: readonly Choice[] = Object.entries(REQUEST_FAILURES).map(([name, { words }]) => [name, words]);
const FIRST = { times: "3", outcome: "insufficient_funds" };

/** What happens to the next payments: one row, and what is left of it. */
export function NextPaymentsCard() {
  const form = useForm("next", { times: "How many", outcome: "What happens" }, FIRST);
  const { times, outcome } = form.values;
  const left = nextPayments(rules.value, faults.value);
  const hadSome = useRef(false);
  hadSome.current ||= left.length > 0;
  const isUsedUp = hadSome.current && left.length === 0;
  return (
    <Card title="The next payments" isWide>
      <CallForm
        form={form}
        call={callFor(outcome, numberOrText(times), rules.value, faults.value)}
        action="Apply"
        keeps
      >
        {form.input("times", { inputMode: "numeric", size: 4, required: true })}
        {form.select("outcome", [...FAILURES, ...outcomeChoices()])}
      </CallForm>
      <p class="hint">
        {isRequestFailure(outcome)
          ? "This hits the next stkpush.php requests of your app, before all other faults, but no test payment of this page."
          : "This decides before all other rules, but not for a request that names its outcome (X-Sandbox-Outcome)."}
      </p>
      <Entries label="What is left" entries={left} call={form} />
      {isUsedUp && (
        <p class="hint" role="status">
          All used up: nothing more is set for the next payments.
        </p>
      )}
    </Card>
  );
}
