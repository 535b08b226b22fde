import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { typedPhone } from "../../../../src/domain/phone.ts";
import { goTo, select, setting } from "../actions.ts";
import { api } from "../api.ts";
import { isUsed } from "../arrivals.ts";
import { isLoaded } from "../asking.ts";
import { plannedDecision } from "../logic/next-payments.ts";
import { nextReference, unusedReference } from "../logic/reference.ts";
import { numberOrText } from "../logic/typed.ts";
import { pickPhone } from "../phones.ts";
import { accounts, dialog, fallback, faults, openPayment, outcomes, rules, server, view } from "../state.ts";
import { Dialog } from "./dialog.tsx";
import { type Draft, outcomeChoices, submits, useForm } from "./form.tsx";

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

/** Opens the form, with these values. */
export function startPayment(values: Draft<keyof typeof LABELS>): void {
  draft.value = { ...values, reference: unusedReference(values.reference ?? "", isUsed) };
  dialog.value = "pay";
}

export function PayDialog() {
  return (
    <Dialog title="Test payment" isOpen={dialog.value === "pay"} onClose={setting(dialog, null)}>
      <PayForm />
    </Dialog>
  );
}

/** A phone as the API shows it; another text stays as it is. */
const msisdnOf = (text: string): string => (typedPhone(text) ?? text).replace(/^0/, "254");

function PayForm() {
  // They stay the same while payments arrive, and while rules change.
  const begun = useMemo(
    () => ({ reference: unusedReference(FIRST.reference, isUsed), hasRules: rules.value.length > 0 }),
    [isLoaded.value],
  );
  const isTestPhone = outcomes.value.some(({ phone }) => phone === msisdnOf(draft.value.phone ?? FIRST.phone));
  // Who has set a rule, or takes a test phone, wants to see what it does.
  const outcomeAtFirst = begun.hasRules || isTestPhone ? "" : "manual";
  const form = useForm("pay", LABELS, { ...FIRST, reference: begun.reference, outcome: outcomeAtFirst }, draft);
  const ofAccounts = accounts.value.map(({ id, name }) => [id, `${id} – ${name}`] as const);
  const { amount, reference, description, outcome } = form.values;
  // Another merchant may have been chosen since.
  const chosen = accounts.value.find(({ id }) => String(id) === form.values.payment_account_id);
  const account = chosen?.id ?? accounts.value[0]?.id ?? server.value?.payment_account_id ?? 1;
  const phone = msisdnOf(form.values.phone);
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
    phone,
    amountCents: Math.round(Number(amount) * 100),
    paymentAccountId: account,
    reference: reference || null,
    description: description || null,
    outcome,
  };
  async function submit() {
    const isSent = await form.run(async () => {
      const started = await api.post<{ checkout_request_id: string }>("/payments", body);
      if (openPayment.value !== null) select(started.checkout_request_id);
    });
    if (!isSent) return;
    dialog.value = null;
    draft.value = { ...draft.value, reference: nextReference(reference) };
    pickPhone(phone);
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
      {form.problem()}
      <button type="submit" class="primary">
        Send the prompt
      </button>
    </form>
  );
}
