import { signal } from "@preact/signals";
import { api } from "../api.ts";
import { counted } from "../logic/in-force.ts";
import { coveredBy } from "../logic/rule-order.ts";
import { ruleInWords } from "../logic/steering-words.ts";
import { rules } from "../state.ts";
import type { Rule } from "../wire.ts";
import { type Command, CommandLines, type Control, ControlGroup } from "./commands.tsx";
import { Field, FormProblem, numberOrText, submits, useCall } from "./form.tsx";
import { OutcomeSelect } from "./outcome-select.tsx";
import { RemovableList } from "./removable-list.tsx";
import { TextField } from "./text-field.tsx";
import { UndoLine, useUndo } from "./undo.tsx";

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

/** The rule in the form. It stays when the view changes. */
const draft = signal(EMPTY);

/** Fills in the form, so that a person can check the rule and add it. */
export function startRule({ match, outcome, times }: Rule): void {
  draft.value = {
    ...EMPTY,
    phone: match.phone ?? "",
    amount: String(match.amount ?? ""),
    reference: match.reference ?? "",
    outcome,
    times: String(times ?? ""),
  };
}

/** Ready-made rules for situations that happen in practice. */
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
  const call = useCall(MEMBERS);
  const undo = useUndo();
  const body = ruleOf(draft.value);
  const covered = coveredBy(rules.value);

  const put = (next: readonly unknown[]) =>
    call.run(() => (next.length === 0 ? api.delete("/rules") : api.put("/rules", next)));
  /** Replaces the rules, and offers to undo it. */
  async function change(next: readonly Rule[], words: string) {
    const before = rules.value;
    if (await put(next)) undo.offer(words, () => void put(before));
  }
  async function append(preset: (typeof PRESETS)[number]) {
    const before = rules.value;
    if (await call.run(() => api.post("/rules", preset.rules))) {
      undo.offer(`${counted(preset.rules.length, "rule")} appended: “${preset.label}”.`, () => void put(before));
    }
  }
  const sets: Control[] = PRESETS.map((preset) => ({
    label: preset.label,
    run: () => void append(preset),
    command: { method: "POST", path: "/rules", body: preset.rules, momo: null },
  }));
  if (rules.value.length > 0) {
    sets.push({
      label: `Remove all ${rules.value.length}`,
      run: () => void change([], `${counted(rules.value.length, "rule")} removed.`),
      command: replacement([]),
    });
  }

  async function submit() {
    if (await call.run(() => api.post("/rules", body))) draft.value = EMPTY;
  }
  const set = (name: keyof Draft) => (text: string) => {
    draft.value = { ...draft.value, [name]: text };
  };
  function input(name: keyof Draft, placeholder: string, size: number) {
    const field = { form: "rule", name, label: LABELS[name], problems: call.problems };
    return <TextField {...field} placeholder={placeholder} size={size} value={draft.value[name]} onText={set(name)} />;
  }
  return (
    <section class="card wide-card" aria-label="Rules">
      <h2>
        Rules <span class="count">{rules.value.length}</span>
      </h2>
      {rules.value.length === 0 ? (
        <p class="hint">None. A rule says what the prompts that match do; the first that matches decides.</p>
      ) : (
        <RemovableList
          what="rule"
          items={rules.value.map((rule, index) => {
            const rest = rules.value.toSpliced(index, 1);
            const by = covered[index] ?? null;
            return {
              words: ruleInWords(rule),
              note: by === null ? null : `never reached: rule ${by} takes all that it matches`,
              command: replacement(rest),
              remove: () => void change(rest, `Rule ${index + 1} removed.`),
            };
          })}
        />
      )}
      <UndoLine undo={undo} />
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
              onChange={(event) => set("outcome")(event.currentTarget.value)}
            />
          )}
        </Field>
        {input("after", "3s", 6)}
        {input("times", "always", 6)}
        <button type="submit">Add rule</button>
      </form>
      <FormProblem problems={call.problems} />
      <CommandLines command={{ method: "POST", path: "/rules", body, momo: null }} />
      <h3>Ready to append</h3>
      <ControlGroup controls={sets} />
    </section>
  );
}

/** The call that replaces all rules by these. */
function replacement(next: readonly unknown[]): Command {
  return next.length === 0
    ? { method: "DELETE", path: "/rules", momo: null }
    : { method: "PUT", path: "/rules", body: next, momo: null };
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
