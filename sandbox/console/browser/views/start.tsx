import { useSignal } from "@preact/signals";
import { addressOf, setting } from "../actions.ts";
import { answerIn, gistOf } from "../logic/calls.ts";
import { formatAmount, formatPhone, timeOfDay } from "../logic/format.ts";
import { LANGUAGES, type Language, paste } from "../logic/snippets.ts";
import { accounts, dialog, keys, merchantId, outcomes, requests, server, whole } from "../state.ts";
import { Card, Records } from "./card.tsx";
import { CodeBlock } from "./copy.tsx";
import { outcomeChoices } from "./form.tsx";
import { StatusBadge } from "./marks.tsx";

export const TestPaymentButton = () => (
  <button type="button" class="primary" onClick={setting(dialog, "pay")}>
    Send a test payment
  </button>
);

/** The first payment: one button, or lines to paste; and a message when it arrives. */
export function Start() {
  const language = useSignal<Language>("curl");
  const facts = server.value;
  if (!facts) return null;
  const isFirst = merchantId.value === facts.default_merchant_id;
  const chosen = {
    base_url: facts.base_url,
    api_key: isFirst ? facts.api_key : (keys.value.find(({ revoked }) => !revoked)?.api_key ?? null),
    payment_account_id: isFirst ? facts.payment_account_id : (accounts.value[0]?.id ?? null),
    data: isFirst ? facts.data : null,
  };
  return (
    <div class="start scroll-view">
      <Card title="Your first payment" label="Get started">
        <p>
          <TestPaymentButton />
        </p>
        <Seen />
        <p class="hint">
          Or from your own code: paste these lines into a terminal.
          {chosen.data === null && (
            <>
              {" "}
              Put the secret of the key into the first line: the server printed it when it started. You can also make{" "}
              <a href={addressOf("keys")}>a new key</a>.
            </>
          )}
        </p>
        <div class="row">
          {LANGUAGES.map((name) => (
            <button
              key={name}
              type="button"
              class="quiet"
              aria-pressed={language.value === name}
              onClick={setting(language, name)}
            >
              {name}
            </button>
          ))}
        </div>
        <CodeBlock text={paste(language.value, chosen)} what={`the ${language.value} lines`} />
        <p class="hint">
          For your shop, <code>momo client js</code>, <code>php</code> or <code>python</code> prints a client in one
          file.
        </p>
        <h3>Test phones: each always ends in its own way</h3>
        <Records
          columns={[["Phone"], ["What happens"], ["Code", "number"]]}
          rows={outcomes.value.map(({ phone, code }, index) => [
            <code>{phone}</code>,
            outcomeChoices()[index]?.[1],
            code ?? "–",
          ])}
        />
      </Card>
    </div>
  );
}

function Seen() {
  const payment = whole.value.newest;
  const [call] = requests.rows.value;
  return (
    <p class="box tone" role="status" data-tone={payment?.status ?? (call ? "pending" : "none")}>
      {payment ? (
        <>
          <b>A payment has arrived:</b> KES {formatAmount(payment.amount)} from {formatPhone(payment.phone)} at{" "}
          {timeOfDay(payment.created_at)} <StatusBadge status={payment.status} />{" "}
          <a href={addressOf("transactions", payment.checkout_request_id)}>Its story</a>
        </>
      ) : call ? (
        <>
          <b>A request has arrived, but no payment yet:</b> {call.method} {call.target}, HTTP {answerIn(call)}.{" "}
          {gistOf(call)} <a href={addressOf("requests", String(call.id))}>The request</a>
        </>
      ) : (
        <span class="muted">Waiting for the first payment …</span>
      )}
    </p>
  );
}
