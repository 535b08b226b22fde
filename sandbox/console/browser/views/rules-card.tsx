import { useSignal } from "@preact/signals";
import { api } from "../api.ts";
import { ruleInWords } from "../logic/steering-words.ts";
import { rules } from "../state.ts";
import type { Rule } from "../wire.ts";
import { CommandLines, type Control, ControlGroup } from "./commands.tsx";
import { Field, FormProblem, numberOrText, submits, useCall } from "./form.tsx";
import { CloseIcon } from "./icons.tsx";
import { OutcomeSelect } from "./outcome-select.tsx";

const MEMBERS = ["phone", "amount", "payment_account_id", "reference", "outcome", "after", "times"] as const;
type Draft = Readonly<Record<(typeof MEMBERS)[number], string>>;

const EMPTY: Draft = {
  phone: "",
  amount: "",
  payment_account_id: "",
  reference: "",
  outcome: "insufficient_funds",
  after: "",
  times: "",
};

/** What the field has in store, ready to send. */
const PRESETS: readonly { readonly label: string; readonly rules: readonly Omit<Rule, "match">[] }[] = [
  {
    label: "Fails twice, then succeeds",
    rules: [{ outcome: "insufficient_funds", times: 1 }, { outcome: "wrong_pin", times: 1 }, { outcome: "completed" }],
  },
  { label: "Busy, then reached", rules: [{ outcome: "unreachable", after: "1s", times: 1 }] },
  { label: "Paid in the last second", rules: [{ outcome: "completed", after: "59s" }] },
];

/** The rules, asked in order, and a form that appends one. */
export function RulesCard() {
  const call = useCall(MEMBERS);
  const draft = useSignal(EMPTY);
  const body = ruleOf(draft.value);
  const replace = (next: readonly unknown[]) =>
    call.run(() => (next.length === 0 ? api.delete("/rules") : api.put("/rules", next)));

  const sets: Control[] = PRESETS.map((preset) => ({
    label: preset.label,
    run: () => void replace(preset.rules),
    command: { method: "PUT", path: "/rules", body: preset.rules, momo: null },
  }));
  if (rules.value.length > 0) {
    const command = { method: "DELETE", path: "/rules", momo: null };
    sets.push({ label: "Remove all", run: () => void replace([]), command });
  }

  async function submit() {
    if (await call.run(() => api.post("/rules", body))) draft.value = EMPTY;
  }
  function input(name: keyof Draft, placeholder: string, size: number) {
    return (
      <Field form="rule" name={name} label={LABELS[name]} problems={call.problems}>
        {(facts) => (
          <input
            {...facts}
            size={size}
            placeholder={placeholder}
            value={draft.value[name]}
            onInput={(event) => {
              draft.value = { ...draft.value, [name]: event.currentTarget.value.trim() };
            }}
          />
        )}
      </Field>
    );
  }
  return (
    <section class="card wide-card" aria-label="Rules">
      <h2>
        Rules <span class="count">{rules.value.length}</span>
      </h2>
      {rules.value.length === 0 ? (
        <p class="hint">None. A rule says what the prompts that match do; the first that matches decides.</p>
      ) : (
        <ol class="rule-list">
          {rules.value.map((rule, index) => (
            <li key={index}>
              <span>{ruleInWords(rule)}</span>
              <button
                type="button"
                class="quiet square"
                aria-label={`Remove rule ${index + 1}`}
                onClick={() => void replace(rules.value.filter((_, place) => place !== index))}
              >
                <CloseIcon />
              </button>
            </li>
          ))}
        </ol>
      )}
      <form class="row" onSubmit={submits(submit)}>
        {input("phone", "any phone", 12)}
        {input("amount", "any", 8)}
        {input("reference", "any", 10)}
        {input("payment_account_id", "any", 4)}
        <Field form="rule" name="outcome" label="Outcome" problems={call.problems}>
          {(facts) => (
            <OutcomeSelect
              {...facts}
              value={draft.value.outcome}
              onChange={(event) => {
                draft.value = { ...draft.value, outcome: event.currentTarget.value };
              }}
            />
          )}
        </Field>
        {input("after", "3s", 6)}
        {input("times", "always", 6)}
        <button type="submit">Add rule</button>
      </form>
      <FormProblem problems={call.problems} />
      <CommandLines command={{ method: "POST", path: "/rules", body, momo: null }} />
      <h3>Ready to send</h3>
      <ControlGroup controls={sets} />
    </section>
  );
}

const LABELS: Readonly<Record<keyof Draft, string>> = {
  phone: "Phone",
  amount: "Amount",
  payment_account_id: "Account",
  reference: "Reference",
  outcome: "Outcome",
  after: "After",
  times: "Times",
};

function ruleOf({ phone, amount, payment_account_id, reference, outcome, after, times }: Draft) {
  return {
    match: {
      ...(phone !== "" && { phone }),
      ...(amount !== "" && { amount: numberOrText(amount) }),
      ...(payment_account_id !== "" && { payment_account_id: numberOrText(payment_account_id) }),
      ...(reference !== "" && { reference }),
    },
    outcome,
    ...(after !== "" && { after }),
    ...(times !== "" && { times: numberOrText(times) }),
  };
}
