import { signal } from "@preact/signals";
import { typedPhone } from "../../../../src/domain/typed-phone.ts";
import { api } from "../api.ts";
import { numberOrText } from "../logic/problems.ts";
import { counted, coveredBy, ruleInWords } from "../logic/steering.ts";
import { rules } from "../state.ts";
import type { Rule } from "../wire.ts";
import { Card } from "./card.tsx";
import { type Command, type Control, ControlGroup, RemovableList } from "./commands.tsx";
import { CallForm, type Draft, OutcomeOptions, useForm } from "./form.tsx";
import { UndoLine, useUndo } from "./undo.tsx";

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
  const form = useForm("rule", LABELS, draft, { outcome: "insufficient_funds" });
  const undo = useUndo();
  const covered = coveredBy(rules.value);
  /** Changes the rules, and offers to undo it. */
  async function change(command: Command, words: string) {
    const before = replacement(rules.value);
    if (await form.run(() => api.call(command))) undo.offer(words, () => void form.run(() => api.call(before)));
  }
  const control = (label: string, command: Command, words: string): Control => ({
    label,
    command,
    run: () => void change(command, words),
  });
  const controls = PRESETS.map(({ label, rules: preset }) =>
    control(
      label,
      { method: "POST", path: "/rules", body: preset },
      `${counted(preset.length, "rule")} appended: “${label}”.`,
    ),
  );
  if (rules.value.length > 0) {
    const words = `${counted(rules.value.length, "rule")} removed.`;
    controls.push(control(`Remove all ${rules.value.length}`, replacement([]), words));
  }
  return (
    <Card title="Rules" count={rules.value.length} isWide>
      {rules.value.length === 0 ? (
        <p class="hint">None. A rule says what the prompts that match do; the first that matches decides.</p>
      ) : (
        <RemovableList
          what="rule"
          items={rules.value.map((rule, index) => {
            const command = replacement(rules.value.toSpliced(index, 1));
            const by = covered[index] ?? null;
            return {
              words: ruleInWords(rule),
              note: by === null ? null : `never reached: rule ${by} matches all its payments`,
              command,
              remove: () => void change(command, `Rule ${index + 1} removed.`),
            };
          })}
        />
      )}
      <UndoLine undo={undo} />
      <CallForm
        call={form}
        command={{ method: "POST", path: "/rules", body: ruleOf(form.values) }}
        action="Add rule"
        onDone={() => {
          draft.value = {};
        }}
      >
        {form.input("phone", { placeholder: "any phone", size: 12 })}
        {form.input("amount", { placeholder: "any", size: 8 })}
        {form.input("reference", { placeholder: "any", size: 10 })}
        {form.input("payment_account_id", { placeholder: "any", size: 4 })}
        {form.select("outcome", <OutcomeOptions />)}
        {form.input("after", { placeholder: "3s", size: 6 })}
        {form.input("times", { placeholder: "always", size: 6 })}
      </CallForm>
      <h3>Ready-made rules</h3>
      <ControlGroup controls={controls} />
    </Card>
  );
}

/** The call that replaces all rules by these. */
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
