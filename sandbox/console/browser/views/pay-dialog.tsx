import { signal, useSignal } from "@preact/signals";
import { goTo, pickPhone } from "../actions.ts";
import { api } from "../api.ts";
import { momoLine } from "../logic/commands.ts";
import { accounts, dialog, server, view } from "../state.ts";
import { KINDS } from "../wire.ts";
import { CommandLines } from "./commands.tsx";
import { Dialog } from "./dialog.tsx";
import { Field, FormProblem, numberOrText, submits, useCall } from "./form.tsx";
import { OutcomeSelect } from "./outcome-select.tsx";

const MEMBERS = ["phone", "amount", "reference", "description", "payment_account_id", "kind", "outcome"] as const;
type Draft = Readonly<Record<(typeof MEMBERS)[number], string>>;

const FIRST: Draft = {
  phone: "0712345678",
  amount: "1200",
  reference: "ORDER-1",
  description: "",
  payment_account_id: "",
  kind: "api",
  outcome: "manual",
};

/** The values stay for the next time. */
const draft = signal(FIRST);

/** Starts a test payment. */
export function PayDialog() {
  const close = () => {
    if (dialog.value === "pay") dialog.value = null;
  };
  return (
    <Dialog id="pay" title="Test payment" isOpen={dialog.value === "pay"} onClose={close}>
      <PayForm onDone={close} />
    </Dialog>
  );
}

function PayForm({ onDone }: { onDone: () => void }) {
  const call = useCall(MEMBERS);
  const isMore = useSignal(false);
  const { phone, amount, reference, description, outcome, kind } = draft.value;
  const account =
    draft.value.payment_account_id || String(accounts.value[0]?.id ?? server.value?.payment_account_id ?? 1);
  const body = {
    payment_account_id: numberOrText(account),
    phone,
    amount: numberOrText(amount),
    ...(reference !== "" && { reference }),
    ...(description !== "" && { description }),
    kind,
    ...(outcome !== "" && { outcome }),
  };

  async function submit() {
    const isStarted = await call.run(() => api.post("/payments", body));
    if (!isStarted) return;
    onDone();
    pickPhone(phone.replace(/^0/, "254"));
    // On a narrow screen, continue in the view of the phones.
    if (matchMedia("(max-width: 56rem)").matches) goTo("phone");
    else if (view.value !== "transactions") goTo("transactions");
  }
  const set = (name: keyof Draft) => (event: { currentTarget: { value: string } }) => {
    draft.value = { ...draft.value, [name]: event.currentTarget.value };
  };
  function input(name: keyof Draft, label: string, inputMode: "text" | "numeric" | "tel" | "decimal" = "text") {
    return (
      <Field form="pay" name={name} label={label} problems={call.problems}>
        {(facts) => <input {...facts} inputMode={inputMode} value={draft.value[name]} onInput={set(name)} />}
      </Field>
    );
  }
  return (
    <form onSubmit={submits(submit)}>
      <div class="pay-fields">
        {input("phone", "Phone", "tel")}
        {input("amount", "Amount, KES", "decimal")}
        {input("reference", "Reference")}
        {input("description", "Description")}
        <Field form="pay" name="outcome" label="What the customer does" problems={call.problems}>
          {(facts) => (
            <OutcomeSelect
              {...facts}
              none="as rules, test phones and the default say"
              value={outcome}
              onChange={set("outcome")}
            />
          )}
        </Field>
        {isMore.value && (
          <>
            <Field form="pay" name="payment_account_id" label="Payment account" problems={call.problems}>
              {(facts) => (
                <select {...facts} value={account} onChange={set("payment_account_id")}>
                  {accounts.value.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {id} – {name}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field form="pay" name="kind" label="Kind" problems={call.problems}>
              {(facts) => (
                <select {...facts} value={kind} onChange={set("kind")}>
                  {KINDS.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              )}
            </Field>
          </>
        )}
      </div>
      <FormProblem problems={call.problems} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={call.isUnderWay}>
          Send the prompt
        </button>
        {!isMore.value && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              isMore.value = true;
            }}
          >
            More
          </button>
        )}
      </div>
      <CommandLines
        command={{
          method: "POST",
          path: "/payments",
          body,
          momo: momoLine(["pay", phone, amount], {
            "--account": account,
            "--reference": reference,
            "--description": description,
            "--kind": kind === "api" ? undefined : kind,
            "--outcome": outcome,
          }),
        }}
      />
    </form>
  );
}
