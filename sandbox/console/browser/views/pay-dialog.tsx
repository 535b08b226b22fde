import { signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { typedPhone } from "../../../../src/domain/phone.ts";
import { goTo, setting } from "../actions.ts";
import { api } from "../api.ts";
import { knownReferences } from "../arrivals.ts";
import { plannedDecision } from "../logic/next-payments.ts";
import { nextReference } from "../logic/reference.ts";
import { numberOrText } from "../logic/typed.ts";
import { pickPhone } from "../phones.ts";
import { accounts, dialog, fallback, faults, isLoaded, outcomes, rules, server, view } from "../state.ts";
import { KINDS } from "../wire.ts";
import { Dialog } from "./dialog.tsx";
import { type Draft, FormProblem, outcomeChoices, submits, useForm } from "./form.tsx";

const LABELS = {
  phone: "Phone",
  amount: "Amount, KES",
  reference: "Reference",
  description: "Description",
  payment_account_id: "Payment account",
  kind: "Kind",
  outcome: "What the customer does",
};
const FIRST = { phone: "0712345678", amount: "1200", kind: "api" };

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
  const account = String(accounts.value[0]?.id ?? server.value?.payment_account_id ?? 1);
  // It stays the same while payments arrive, and while rules change.
  const first = useMemo(
    () => ({
      ...FIRST,
      // Who has set a rule wants to see what it does.
      outcome: rules.value.length > 0 ? "" : "manual",
      reference: nextReference("ORDER-0000", knownReferences()),
    }),
    [isLoaded.value],
  );
  const form = useForm("pay", LABELS, { ...first, payment_account_id: account }, draft);
  useLayoutEffect(() => {
    const { payment_account_id: chosen, ...others } = draft.value;
    // Another merchant may have been chosen since.
    if (chosen !== undefined && !accounts.value.some(({ id }) => String(id) === chosen)) draft.value = others;
  }, [accounts.value]);
  const ofAccounts = accounts.value.map(({ id, name }) => [id, `${id} – ${name}`] as const);
  const isMore = useSignal(false);
  const { amount, reference, description, payment_account_id, outcome, kind } = form.values;
  const phone = typedPhone(form.values.phone) ?? form.values.phone;
  const body = {
    payment_account_id: numberOrText(payment_account_id),
    phone,
    amount: numberOrText(amount),
    reference: reference || undefined,
    description: description || undefined,
    kind,
    outcome: outcome || undefined,
  };
  const planned = {
    phone: phone.replace(/^0/, "254"),
    amountCents: Math.round(Number(amount) * 100),
    paymentAccountId: Number(payment_account_id),
    reference: reference || null,
    description: description || null,
    outcome,
  };
  async function submit() {
    if (!(await form.run(() => api.post("/payments", body)))) return;
    dialog.value = null;
    draft.value = { ...draft.value, reference: nextReference(reference, knownReferences()) };
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
        {isMore.value && form.select("payment_account_id", ofAccounts)}
        {isMore.value && form.select("kind", KINDS)}
      </div>
      <p class="hint" role="status">
        {fallback.value &&
          plannedDecision(planned, { rules: rules.value, outcomes: outcomes.value, fallback: fallback.value })}
        {faults.value.length > 0 && " Faults strike only requests of clients, not this payment."}
      </p>
      <FormProblem problems={form.problems} />
      <div class="row">
        <button type="submit" class="primary" disabled={form.isUnderWay}>
          Send the prompt
        </button>
        {!isMore.value && (
          <button type="button" class="quiet" onClick={setting(isMore, true)}>
            More
          </button>
        )}
      </div>
    </form>
  );
}
