import { useSignal } from "@preact/signals";
import { addressOf, openDialog } from "../actions.ts";
import { formatAmount, formatPhone, timeOfDay } from "../logic/format.ts";
import { gistOf } from "../logic/gist.ts";
import { LANGUAGES, type Language, paste } from "../logic/snippets.ts";
import { accounts, keys, merchantId, outcomes, requests, rows, server } from "../state.ts";
import { Card } from "./card.tsx";
import { CodeBlock } from "./code-block.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { type ColumnHead, TableHead } from "./table-head.tsx";

/** The first payment from your own code: one text to paste, and a message when the payment arrives. */
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
      <Card title="Take a payment from your own code" label="Get started">
        <p class="hint">
          Paste this into a terminal. It starts a payment, and asks for its status every 3 seconds until it is final.
          {chosen.data === null ? (
            <>
              {" "}
              Put the secret of the key in its first line: the server printed it when it started. You can also make{" "}
              <a href={addressOf("keys")}>a new key</a>.
            </>
          ) : (
            " The shell reads the secret from the data directory of the server. It is never in this page."
          )}
        </p>
        <fieldset class="languages">
          <legend class="unseen">Language</legend>
          {LANGUAGES.map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="language"
                checked={language.value === name}
                onChange={() => {
                  language.value = name;
                }}
              />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        <Seen />
        <CodeBlock text={paste(language.value, chosen)} what={`the ${language.value} lines`} />
        <p class="hint">
          Then{" "}
          <button type="button" class="link" onClick={() => openDialog("pay")}>
            send a test payment
          </button>{" "}
          from here, answer it on the phone, or use a <b>test phone</b>: each number below always ends in its own way.
        </p>
        <TestPhones />
      </Card>
    </div>
  );
}

/** Whether a payment arrived, and its state. */
function Seen() {
  const [payment] = rows.value;
  const call = requests.value.at(-1);
  if (payment) {
    return (
      <p class="seen" role="status">
        <b>A payment has arrived:</b> KES {formatAmount(payment.amount)} from {formatPhone(payment.phone)} at{" "}
        {timeOfDay(payment.created_at)} <StatusBadge status={payment.status} />{" "}
        <a href={addressOf("transactions", payment.checkout_request_id)}>Its story</a>
      </p>
    );
  }
  if (call) {
    return (
      <p class="seen" role="status">
        <b>A request has arrived, but no payment yet:</b> {call.method} {call.target}, HTTP {call.status ?? "lost"}.{" "}
        {gistOf(call)} <a href={addressOf("requests", String(call.id))}>The request</a>
      </p>
    );
  }
  return (
    <p class="seen waiting" role="status">
      Waiting for the first payment …
    </p>
  );
}

const TEST_PHONE_COLUMNS: readonly ColumnHead[] = [
  ["Phone"],
  ["Outcome"],
  ["Code", "number"],
  ["After", "when-wide"],
  ["What happens", "when-wide"],
];

function TestPhones() {
  return (
    <table class="records test-phones">
      <TableHead columns={TEST_PHONE_COLUMNS} />
      <tbody>
        {outcomes.value.map(({ name, phone, code, after, meaning }) => (
          <tr key={name}>
            <td>
              <code>{phone}</code>
            </td>
            <td>{name}</td>
            <td class="number">{code ?? "–"}</td>
            <td class="when-wide">{after ?? "–"}</td>
            <td class="when-wide">{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
