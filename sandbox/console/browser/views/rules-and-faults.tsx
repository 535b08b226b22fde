import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { typedPhone } from "../../../../src/domain/phone.ts";
import type { Field } from "../../../faults/kind.ts";
import { FAULT_NAMES, FAULTS, type FaultName, fieldsOf } from "../../../faults/kinds.ts";
import { api } from "../api.ts";
import { formatCount, formatPhone } from "../logic/format.ts";
import { type Entry, faultInWords, ruleBefore, ruleInWords } from "../logic/steering.ts";
import { numberOrText } from "../logic/typed.ts";
import { faults, rules } from "../state.ts";
import type { Rule } from "../wire.ts";
import { Card } from "./card.tsx";
import { Entries, remove } from "./entries.tsx";
import { CallForm, CHOOSE, type Choice, type Draft, type FormCall, outcomeChoices, useForm } from "./form.tsx";

const RULE_LABELS = {
  phone: "Phone",
  amount: "Amount",
  payment_account_id: "Account",
  reference: "Reference",
  outcome: "Outcome",
  after: "After",
  times: "Times",
};
type RuleText = Record<keyof typeof RULE_LABELS, string>;

/** The rule in the form. It stays when the view changes. */
const draft = signal<Draft<keyof RuleText>>({});

/** The id of the rule that the form changes; null if it adds one. */
const changed = signal<number | null>(null);

/** Fills in the form, and goes to it. The person checks the rule and sends it. */
function startForm(text: Draft<keyof RuleText>, id: number | null): void {
  draft.value = text;
  changed.value = id;
  // The view is drawn in a microtask.
  queueMicrotask(() => document.getElementById("rule-phone")?.focus());
}

/** The rules in their order, and a form that appends one, or puts one in the place of another. */
export function RulesCard() {
  const form = useForm("rule", RULE_LABELS, { outcome: "insufficient_funds" }, draft);
  const old = rules.value.find(({ id }) => id === changed.value);
  // A rule that is gone leaves the form.
  useEffect(() => {
    if (old || changed.value === null) return;
    form.clear();
    changed.value = null;
  }, [old]);
  const path = old ? `/rules?before=${old.id}` : "/rules";
  async function removeOld() {
    changed.value = null;
    if (old) await api.call({ method: "DELETE", path: `/rules/${old.id}` });
  }
  return (
    <Card title="Rules" count={rules.value.length} isWide>
      <p class="hint">
        {rules.value.length === 0 && "No rules. "}The first rule that a payment matches decides how it ends.
      </p>
      <Entries
        label="Rules in force"
        entries={rules.value.map((rule) => ({
          ...entryOf("rule", rule),
          words: ruleInWords(rule) + neverReached(rule),
          change: canChange(rule) ? () => startForm(textsOf(rule), rule.id) : undefined,
        }))}
        call={form}
      />
      <RemoveAll path="/rules" count={rules.value.length} call={form} />
      <CallForm
        form={form}
        call={{ method: "POST", path, body: ruleOf(form.values) }}
        action={old ? `Save rule ${old.id}` : "Add rule"}
        onDone={removeOld}
      >
        {form.input("phone", { placeholder: "any", size: 12 })}
        {form.input("amount", { placeholder: "any", size: 6 })}
        {form.input("reference", { placeholder: "any", size: 8 })}
        {form.input("payment_account_id", { placeholder: "any", size: 4 })}
        {form.select("outcome", outcomeChoices())}
        {form.input("after", { placeholder: "3s", size: 5 })}
        {form.input("times", { placeholder: "always", size: 5 })}
        {old && (
          <button type="button" class="quiet" onClick={() => startForm({}, null)}>
            Keep rule {old.id}
          </button>
        )}
      </CallForm>
    </Card>
  );
}

const entryOf = (what: string, { id }: { readonly id: number }): Omit<Entry, "words"> => ({
  path: `/${what}s/${id}`,
  name: `${what} ${id}`,
  label: `${what} ${id}`,
});

function neverReached(rule: Rule): string {
  const before = ruleBefore(rule, rules.value);
  return before ? ` (never reached: rule ${before.id} decides)` : "";
}

/** Whether the form has a field for each of its members. */
const canChange = ({ match, result_code, result_desc, message }: Rule): boolean =>
  [match.description, result_code, result_desc, message].every((member) => member === undefined);

const textsOf = ({ match, outcome, after = "", times }: Rule): RuleText => ({
  phone: formatPhone(match.phone ?? ""),
  amount: String(match.amount ?? ""),
  payment_account_id: String(match.payment_account_id ?? ""),
  reference: match.reference ?? "",
  outcome,
  after,
  times: String(times ?? ""),
});

const ruleOf = ({ phone, amount, payment_account_id, reference, outcome, after, times }: RuleText) => ({
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

const EVERY_PATH = "every";
const PATHS: readonly Choice[] = [
  CHOOSE,
  [EVERY_PATH, "every operation"],
  "/stkpush.php",
  "/status.php",
  "/transactions.php",
];

/** The fields of the kinds, by the names of their members. */
const FIELDS: Readonly<Record<string, Field>> = Object.assign({}, ...FAULT_NAMES.map((kind) => fieldsOf(kind)));

const fieldsFor = <Value,>(value: (field: Field) => Value) =>
  Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, value(field)]));

const FAULT_LABELS: Readonly<Record<string, string>> = {
  path: "Operation",
  kind: "What happens",
  ...fieldsFor(({ label }) => label),
  probability: "Probability",
  times: "Times",
};
const FIRST_FAULT = { kind: "error", ...fieldsFor(({ first }) => first) };
const FAULT_CHOICES = FAULT_NAMES.map((kind) => [kind, FAULTS[kind].words] as const);

export function FaultsCard() {
  const form = useForm("fault", FAULT_LABELS, FIRST_FAULT);
  const inForce = faults.value;
  const kind = form.values.kind as FaultName;
  return (
    <Card title="Faults" count={inForce.length} isWide>
      <p class="hint">{inForce.length === 0 && "No faults. "}A fault affects requests to the merchant API.</p>
      <Entries
        label="Faults in force"
        entries={inForce.map((fault) => ({ ...entryOf("fault", fault), words: faultInWords(fault) }))}
        call={form}
      />
      <RemoveAll path="/faults" count={inForce.length} call={form} />
      <CallForm form={form} call={{ method: "POST", path: "/faults", body: faultOf(form.values) }} action="Add fault">
        {form.select("path", PATHS, { required: true })}
        {form.select("kind", FAULT_CHOICES)}
        {Object.entries(fieldsOf(kind)).map(([name, { placeholder }]) => form.input(name, { placeholder, size: 5 }))}
        {form.input("probability", { placeholder: "1", size: 5 })}
        {form.input("times", { placeholder: "always", size: 6 })}
      </CallForm>
    </Card>
  );
}

function faultOf({ path, kind, probability = "", times = "", ...typed }: Readonly<Record<string, string>>) {
  const fields = Object.entries(fieldsOf(kind as FaultName));
  const members = fields.map(([name, { type }]) => [
    name,
    type === "number" ? numberOrText(typed[name] ?? "") : typed[name],
  ]);
  return {
    path: path === EVERY_PATH ? undefined : path,
    kind,
    ...Object.fromEntries(members),
    probability: numberOrText(probability),
    times: numberOrText(times),
  };
}

/** Removes all, if there are several. */
function RemoveAll({ path, count, call }: { path: string; count: number; call: Pick<FormCall, "run"> }) {
  if (count < 2) return null;
  return (
    <div>
      <button type="button" onClick={({ currentTarget }) => void remove(call, path, currentTarget)}>
        Remove all {formatCount(count)}
      </button>
    </div>
  );
}
