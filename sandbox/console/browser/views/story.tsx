import { formatInterval } from "../../../../src/domain/duration.ts";
import { reasonOf } from "../../../network/reason.ts";
import { addressOf } from "../actions.ts";
import { gistOf, LOG_KEEPS, operationOf } from "../logic/calls.ts";
import { labelsOf } from "../logic/findings.ts";
import { counted, formatAmount, formatCount, formatPhone, preciseClock, timeOfDay } from "../logic/format.ts";
import { callFindings, outcomes, paymentFindings, told } from "../state.ts";
import type { Story } from "../wire.ts";
import { copied, Pairs } from "./card.tsx";
import { CodeBlock } from "./copy.tsx";
import { Pane } from "./long-list.tsx";
import { FindingNotes, HttpStatus, StatusBadge, Warned } from "./marks.tsx";
import { startPayment } from "./pay-dialog.tsx";
import { DeliveryItem } from "./webhook.tsx";

/** The story of one payment, from its request to its end, with advice. */
export function StoryPane({ id }: { id: string }) {
  const { story, problem } = told.value;
  const pane = { label: "Story of a payment", what: "the story", row: id };
  if (!story) {
    return (
      <Pane {...pane} title="Payment">
        {problem && <p class="problem">{problem}</p>}
        <Identity id={id} />
      </Pane>
    );
  }
  const { amount, status } = story.transaction;
  const title = ["KES ", formatAmount(amount), " ", <StatusBadge key="status" status={status} />];
  return (
    <Pane {...pane} title={title}>
      <Ending story={story} />
      <FindingNotes found={paymentFindings.value.get(id)} about={id} />
      <Again story={story} />
      <Identity id={id} story={story} />
      <Calls story={story} />
      {story.webhooks.length > 0 && (
        <>
          <h3>
            Webhook <span class="pill">{formatCount(story.webhooks.length)}</span>
          </h3>
          <ul class="entries">
            {story.webhooks.map((delivery) => (
              <DeliveryItem key={delivery.id} delivery={delivery} />
            ))}
          </ul>
        </>
      )}
      <details class="hint">
        <summary>The payment as the API lists it</summary>
        <CodeBlock text={JSON.stringify(story.transaction, null, 2)} what="the payment as JSON" />
      </details>
    </Pane>
  );
}

/** The end first: the outcome, its meaning, who decided it, and what to do. */
function Ending({ story: { transaction, result, decided_by } }: { story: Story }) {
  const { status } = transaction;
  return (
    <section class="box stack ending" aria-label="Outcome" data-tone={status}>
      <p class="tone reason">
        {reasonOf(transaction, outcomes.value) || `${status}${result ? ` (${result.code})` : ""}`}
      </p>
      <Pairs
        of={[
          ["The network says", result?.description],
          ["It means", result?.meaning ?? "None yet: the payment is pending. Pending is not a failure."],
          ["Why", decided_by.in_words],
          ["What to do", result?.advice ?? "Ask for its status again, 3 to 5 seconds after the last answer."],
        ]}
      />
    </section>
  );
}

function Identity({ id, story: told }: { id: string; story?: Story }) {
  const { reference, phone, merchant_request_id, momo_receipt_number, transaction_code } = told?.transaction ?? {};
  const prompt = told?.prompt;
  const ids = [
    ["Reference", reference],
    ["Phone", phone && formatPhone(phone)],
    ["Checkout request id", id],
    ["Merchant request id", merchant_request_id],
    ["Receipt", momo_receipt_number],
    ["Transaction code", transaction_code],
  ] as const;
  return (
    <Pairs
      class="ids"
      of={[
        ...ids.map(([name, text]) => [name, copied(name.toLowerCase(), text)] as const),
        ["Description", prompt?.description],
        [
          "Prompt",
          prompt && `${prompt.business}, ${timeOfDay(prompt.created_at)} until ${timeOfDay(prompt.expires_at)}`,
        ],
      ]}
    />
  );
}

function Calls({ story: told }: { story: Story }) {
  const { requests, requests_left_out, transaction } = told;
  // The log may have dropped the request, and test payments are not in it.
  const hasStart = requests[0]?.target.includes("stkpush") ?? false;
  const shown = requests.length - (hasStart ? 1 : 0);
  const polls = shown + requests_left_out;
  const shownOf = requests_left_out > 0 ? `, the last ${formatCount(shown)} are here` : "";
  const asked = polls === 0 ? "The client has not asked for the status yet" : counted(polls, "poll") + shownOf;
  return (
    <>
      <h3>Requests</h3>
      {!hasStart && <p class="hint">{startOf(told)}</p>}
      <ol class="entries calls">
        {requests.map((request) => (
          <li key={request.id}>
            <a class="row small" href={addressOf("requests", String(request.id))}>
              <time>{preciseClock(request.at_ms)}</time>
              <code>{operationOf(request.target)}</code>
              <HttpStatus request={request} />
              <span class="muted">{request.target.includes("/status.php") && gistOf(request)}</span>
              {request.interval_ms !== null && <span class="muted">+{formatInterval(request.interval_ms)}</span>}
              {callFindings.value.has(request.id) && <Warned words={labelsOf(callFindings.value.get(request.id))} />}
            </a>
          </li>
        ))}
      </ol>
      {(polls > 0 || told.started_by === null) && (
        <p class="hint">
          {asked}.{" "}
          <a href={addressOf("requests", null, { search: transaction.checkout_request_id })}>All its requests</a>
        </p>
      )}
    </>
  );
}

/** Who started a payment whose start is not in the log. */
function startOf({ transaction, started_by }: Story): string {
  if (started_by === "console") return "A test payment: a person started it here, in the console.";
  if (started_by === "control_api") return "A test payment: a program started it by POST /_momo/payments.";
  if (transaction.kind !== "api")
    return `Not started by a request to the merchant API: a payment of the kind ${transaction.kind}.`;
  return `Its request is not in the log. ${LOG_KEEPS}`;
}

/** Starts a payment with the same values. */
function Again({ story: { transaction, payment_account_id, prompt } }: { story: Story }) {
  const { phone, amount } = transaction;
  const like = () =>
    startPayment({
      phone: formatPhone(phone),
      amount: String(amount),
      reference: prompt.reference ?? "",
      description: prompt.description ?? "",
      payment_account_id: String(payment_account_id),
    });
  return (
    <div class="row">
      <button type="button" onClick={like}>
        New prompt like this …
      </button>
    </div>
  );
}
