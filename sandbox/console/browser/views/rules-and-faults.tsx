import { signal } from "@preact/signals";
import { typedPhone } from "../../../../src/domain/phone.ts";
import type { Field } from "../../../faults/kind.ts";
import { FAULT_NAMES, FAULTS, type FaultName, fieldsOf } from "../../../faults/kinds.ts";
import { goTo } from "../actions.ts";
import { api } from "../api.ts";
import { formatCount } from "../logic/format.ts";
import { faultInWords, ruleInWords } from "../logic/steering.ts";
import { numberOrText } from "../logic/typed.ts";
import { faults, rules } from "../state.ts";
import { Card } from "./card.tsx";
import { CallForm, type Choice, type Draft, type Form, outcomeChoices, useForm } from "./form.tsx";
import { CloseIcon, IconButton } from "./marks.tsx";

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

/** Fills in the form with a rule for the next payment of a phone. The person checks it and adds it. */
export function startRule(phone: string, outcome: string): void {
  draft.value = { phone, outcome, times: "1" };
  goTo("steering");
}

/** The rules in their order, and a form that appends one. */
export function RulesCard() {
  const form = useForm("rule", RULE_LABELS, { outcome: "insufficient_funds" }, draft);
  return (
    <Card title="Rules" count={rules.value.length} isWide>
      <Entries
        what="rule"
        path="/rules"
        entries={rules.value}
        inWords={ruleInWords}
        none="No rules. The first rule that a payment matches decides how it ends."
        call={form}
      />
      <CallForm form={form} call={{ method: "POST", path: "/rules", body: ruleOf(form.values) }} action="Add rule">
        {form.input("phone", { placeholder: "any", size: 10 })}
        {form.input("amount", { placeholder: "any", size: 6 })}
        {form.input("reference", { placeholder: "any", size: 8 })}
        {form.input("payment_account_id", { placeholder: "any", size: 4 })}
        {form.select("outcome", outcomeChoices())}
        {form.input("after", { placeholder: "3s", size: 6 })}
        {form.input("times", { placeholder: "always", size: 6 })}
      </CallForm>
    </Card>
  );
}

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
  ["", "choose …"],
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
      <Entries
        what="fault"
        path="/faults"
        entries={inForce}
        inWords={faultInWords}
        none="No faults. A fault affects requests to the merchant API."
        call={form}
      />
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

interface EntriesProps<Entry> {
  readonly what: string;
  readonly path: string;
  readonly entries: readonly Entry[];
  readonly inWords: (entry: Entry) => string;
  /** What is shown if there are none. */
  readonly none: string;
  /** Removes an entry, or all. */
  readonly call: Pick<Form<never>, "run">;
}

/** Entries in order, each with a button that removes it. */
function Entries<Entry extends { readonly id: number }>(props: EntriesProps<Entry>) {
  const { what, path, entries, inWords, none, call } = props;
  const remove = (from: string) => () => void call.run(() => api.call({ method: "DELETE", path: from }));
  if (entries.length === 0) return <p class="hint">{none}</p>;
  return (
    <>
      <ol class="entries rule-list">
        {entries.map((entry) => (
          <li key={entry.id} class="line" data-id={entry.id}>
            <span class="grow">{inWords(entry)}</span>
            <IconButton icon={CloseIcon} label={`Remove ${what} ${entry.id}`} onClick={remove(`${path}/${entry.id}`)} />
          </li>
        ))}
      </ol>
      {entries.length > 1 && (
        <div class="row">
          <button type="button" onClick={remove(path)}>
            Remove all {formatCount(entries.length)}
          </button>
        </div>
      )}
    </>
  );
}
