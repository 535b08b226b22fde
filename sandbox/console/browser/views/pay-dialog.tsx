import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { typedPhone } from "../../../../src/domain/phone.ts";
import { goTo, setting } from "../actions.ts";
import { api } from "../api.ts";
import { plannedDecision } from "../logic/next-payments.ts";
import { nextReference } from "../logic/reference.ts";
import { numberOrText } from "../logic/typed.ts";
import { pickPhone } from "../phones.ts";
import { accounts, dialog, fallback, faults, isLoaded, outcomes, rules, server, view } from "../state.ts";
import { Dialog } from "./dialog.tsx";
import { type Draft, FormProblem, outcomeChoices, submits, useForm } from "./form.tsx";

const LABELS = {
  phone: "Phone",
  amount: "Amount, KES",
  reference: "Reference",
  description: "Description",
  payment_account_id: "Payment account",
  outcome: "What the customer does",
};
const FIRST = { phone: "0712345678", amount: "1200", reference: "ORDER-0001" };

/** The form keeps its values for the next time. */
const draft = signal<Draft<keyof typeof LABELS>>({});

export function PayDialog() {
  return (
    <Dialog id="pay" title="Test payment" isOpen={dialog.value === "pay"} onClose={setting(dialog, null)}>
      <PayForm />
    </Dialog>
  );
}

function PayForm() {
  // It stays the same while payments arrive, and while rules change.
  const first = useMemo(
    () => ({
      ...FIRST,
      // Who has set a rule wants to see what it does.
      outcome: rules.value.length > 0 ? "" : "manual",
    }),
    [isLoaded.value],
  );
  const form = useForm("pay", LABELS, first, draft);
  const ofAccounts = accounts.value.map(({ id, name }) => [id, `${id} – ${name}`] as const);
  const { amount, reference, description, outcome } = form.values;
  // Another merchant may have been chosen since.
  const chosen = accounts.value.find(({ id }) => String(id) === form.values.payment_account_id);
  const account = chosen?.id ?? accounts.value[0]?.id ?? server.value?.payment_account_id ?? 1;
  const phone = typedPhone(form.values.phone) ?? form.values.phone;
  const body = {
    payment_account_id: account,
    phone,
    amount: numberOrText(amount),
    reference: reference || undefined,
    description: description || undefined,
    outcome: outcome || undefined,
    kind: "api",
  };
  const planned = {
    phone: phone.replace(/^0/, "254"),
    amountCents: Math.round(Number(amount) * 100),
    paymentAccountId: account,
    reference: reference || null,
    description: description || null,
    outcome,
  };
  async function submit() {
    if (!(await form.run(() => api.post("/payments", body)))) return;
    dialog.value = null;
    draft.value = { ...draft.value, reference: nextReference(reference) };
    pickPhone(phone.replace(/^0/, "254"));
    // On a narrow screen, continue in the view of the phones.
    if (matchMedia("(max-width: 56rem)").matches) goTo("phone");
    else if (view.value !== "transactions") goTo("transactions");
  }
  return (
    <form class="stack" onSubmit={submits(submit)}>
      <div class="stack pay-fields">
        {form.input("phone", { inputMode: "tel" })}
        {form.input("amount", { inputMode: "decimal" })}
        {form.input("reference")}
        {form.input("description")}
        {form.select("outcome", [["", "as rules, test phones and the default say"], ...outcomeChoices()])}
        {ofAccounts.length > 1 && form.select("payment_account_id", ofAccounts)}
      </div>
      <p class="hint" role="status">
        {fallback.value &&
          plannedDecision(planned, { rules: rules.value, outcomes: outcomes.value, fallback: fallback.value })}
        {faults.value.length > 0 && " Faults strike only requests of clients, not this payment."}
      </p>
      <FormProblem problems={form.problems} />
      <button type="submit" class="primary" disabled={form.isUnderWay}>
        Send the prompt
      </button>
    </form>
  );
}
