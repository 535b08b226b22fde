import { signal } from "@preact/signals";
import { typedPhone } from "../../../../src/domain/typed-phone.ts";
import { numberOrText } from "../logic/problems.ts";
import { counted, coveredBy, ruleInWords } from "../logic/steering.ts";
import { rules } from "../state.ts";
import type { Rule } from "../wire.ts";
import { Card } from "./card.tsx";
import { type Command, ControlGroup } from "./commands.tsx";
import { CallForm, type Draft, outcomeChoices, useForm } from "./form.tsx";
import { RemovableList } from "./removable-list.tsx";
import { useUndo } from "./undo.tsx";

const LABELS = {
  phone: "Phone",
  amount: "Amount",
  payment_account_id: "Account",
  reference: "Reference",
  outcome: "Outcome",
  after: "After",
  times: "Times",
};
type Name = keyof typeof LABELS;

/** The rule in the form. It stays when the view changes. */
const draft = signal<Draft<Name>>({});

/** Fills in the form. The person checks the rule and adds it. */
export function startRule({ match, outcome, times }: Rule): void {
  const { phone = "", amount = "", reference = "" } = match;
  draft.value = { phone, amount: String(amount), reference, outcome, times: String(times ?? "") };
}

/** Ready-made rules for common situations. */
const PRESETS: readonly { readonly label: string; readonly rules: readonly Omit<Rule, "match">[] }[] = [
  {
    label: "Fails twice, then succeeds",
    rules: [{ outcome: "insufficient_funds", times: 1 }, { outcome: "wrong_pin", times: 1 }, { outcome: "completed" }],
  },
  { label: "Busy, then reached", rules: [{ outcome: "unreachable", after: "1s", times: 1 }] },
  { label: "Paid in the last second", rules: [{ outcome: "completed", after: "59s" }] },
];

/** The rules in their order, and a form that appends one. */
export function RulesCard() {
  const form = useForm("rule", LABELS, { outcome: "insufficient_funds" }, draft);
  const undo = useUndo(form);
  const covered = coveredBy(rules.value);
  const controls = PRESETS.map(({ label, rules: preset }) => {
    const command = { method: "POST", path: "/rules", body: preset };
    const words = `${counted(preset.length, "rule")} appended: “${label}”.`;
    return { label, command, run: () => void undo.change(command, words, replacement(rules.value)) };
  });
  return (
    <Card title="Rules" count={rules.value.length} isWide>
      {rules.value.length === 0 ? (
        <p class="hint">None. A rule says what the prompts that match do; the first that matches decides.</p>
      ) : (
        <RemovableList
          what="rule"
          entries={rules.value}
          inWords={ruleInWords}
          problems={covered.map((by) => by && `never reached: rule ${by} matches all its payments`)}
          replacement={replacement}
          undo={undo}
        />
      )}
      {undo.line}
      <CallForm form={form} command={{ method: "POST", path: "/rules", body: ruleOf(form.values) }} action="Add rule">
        {form.input("phone", { placeholder: "any phone", size: 12 })}
        {form.input("amount", { placeholder: "any", size: 8 })}
        {form.input("reference", { placeholder: "any", size: 10 })}
        {form.input("payment_account_id", { placeholder: "any", size: 4 })}
        {form.select("outcome", outcomeChoices())}
        {form.input("after", { placeholder: "3s", size: 6 })}
        {form.input("times", { placeholder: "always", size: 6 })}
      </CallForm>
      <h3>Ready-made rules</h3>
      <ControlGroup controls={controls} />
    </Card>
  );
}

const replacement = (next: readonly Rule[]): Command =>
  next.length === 0 ? { method: "DELETE", path: "/rules" } : { method: "PUT", path: "/rules", body: next };

const ruleOf = ({ phone, amount, payment_account_id, reference, outcome, after, times }: Record<Name, string>) => ({
  match: {
    phone: typedPhone(phone) ?? (phone || undefined),
    amount: numberOrText(amount),
    payment_account_id: numberOrText(payment_account_id),
    reference: reference || undefined,
  },
  outcome,
  after: after || undefined,
  times: numberOrText(times),
});
