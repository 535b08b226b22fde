import { useLayoutEffect } from "preact/hooks";
import { reasonOf } from "../../../network/reason.ts";
import { addressOf, select } from "../actions.ts";
import { findingsByCall } from "../logic/findings.ts";
import { formatAmount, formatCount, formatPhone, timeOfDay } from "../logic/format.ts";
import { formatRoute } from "../logic/route.ts";
import { findings, outcomes, story, storyProblem } from "../state.ts";
import { pageAddress } from "../system.ts";
import type { Prompt, Story } from "../wire.ts";
import { CodeBlock, CopyButton } from "./code-block.tsx";
import { DeliveryItem } from "./delivery.tsx";
import { returnFocus } from "./long-list.tsx";
import { StatusBadge } from "./marks.tsx";
import { Pane } from "./pane.tsx";
import { RequestStep } from "./request-step.tsx";
import { StoryActions } from "./story-actions.tsx";
import { StoryTimeline } from "./story-timeline.tsx";

/** The story of one payment, from its request to its end, with advice. */
export function StoryPane({ id }: { id: string }) {
  const { value } = story;
  useLayoutEffect(() => () => returnFocus(id), [id]);
  return (
    <Pane
      label="Story of a payment"
      title={
        value ? (
          <>
            KES {formatAmount(value.transaction.amount)} <StatusBadge status={value.transaction.status} />
          </>
        ) : (
          "Payment"
        )
      }
      what="the story"
      onClose={() => select(null)}
    >
      {storyProblem.value && <p class="problem">{storyProblem.value}</p>}
      {value && (
        <>
          <Ending story={value} />
          <StoryTimeline story={value} />
          <StoryActions key={id} story={value} />
        </>
      )}
      <Identity id={id} told={value} />
      {value && (
        <>
          <Steps story={value} />
          <details>
            <summary>The payment as the API lists it</summary>
            <CodeBlock text={JSON.stringify(value.transaction, null, 2)} what="the payment as JSON" />
          </details>
        </>
      )}
    </Pane>
  );
}

/** The end first: the outcome, its meaning, who decided it, and what to do. */
function Ending({ story: { transaction, result, decided_by, sms } }: { story: Story }) {
  const { status } = transaction;
  const facts = [
    ["The network says", result?.description],
    ["It means", result?.meaning ?? "None yet: the payment is pending. Pending is not a failure."],
    ["Who decided", decided_by?.in_words ?? "Not recorded when this payment was made."],
    ["What to do", result?.advice ?? "Ask for its status again, 3 to 5 seconds after the last answer."],
  ] as const;
  return (
    <section class="ending" aria-label="Outcome" data-status={status}>
      <p class="reason">{reasonOf(transaction, outcomes.value) || `${status}${result ? ` (${result.code})` : ""}`}</p>
      <dl>
        {facts.map(
          ([name, words]) =>
            words && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{words}</dd>
              </div>
            ),
        )}
      </dl>
      {sms && <blockquote class="sms">{sms}</blockquote>}
    </section>
  );
}

/** The identifiers of the payment, each with a copy button. */
function Identity({ id, told }: { id: string; told: Story | null }) {
  const link = pageAddress(formatRoute({ view: "transactions", selected: id, query: {} }));
  const ids = [
    ["Reference", told?.transaction.reference],
    ["Phone", told && formatPhone(told.transaction.phone)],
    ["Checkout request id", id],
    ["Merchant request id", told?.transaction.merchant_request_id],
    ["Receipt", told?.transaction.momo_receipt_number],
    ["Transaction code", told?.transaction.transaction_code],
  ] as const;
  return (
    <dl class="ids">
      {ids.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
                <CopyButton text={value} what={name.toLowerCase()} />
              </dd>
            </div>
          ),
      )}
      <div class="link-row">
        <dt>Link</dt>
        <dd>
          <CopyButton text={link} what="a link to this payment" label="Copy it" />
        </dd>
      </div>
    </dl>
  );
}

function Steps({ story: told }: { story: Story }) {
  const { transaction, prompt, requests, requests_left_out, webhooks } = told;
  const found = findingsByCall(findings.value);
  const [first, ...rest] = requests;
  // The log may have dropped the request, and test payments are not in it.
  const start = first?.target.includes("stkpush") ? first : undefined;
  const polls = start ? rest : requests;
  return (
    <ol class="steps">
      <li>
        <h3>Start</h3>
        {start ? (
          <RequestStep request={start} found={found.get(start.id)} isOpen />
        ) : (
          <p class="hint">{startOf(told)}</p>
        )}
      </li>
      <li>
        <h3>Prompt</h3>
        <PromptCard prompt={prompt} />
      </li>
      <li>
        <h3>
          Polls <span class="count">{formatCount(polls.length + requests_left_out)}</span>
        </h3>
        {requests_left_out > 0 && <p class="hint">The last {formatCount(polls.length)} of them:</p>}
        {polls.length === 0 ? (
          <p class="hint">The client has not asked for the status yet.</p>
        ) : (
          <ol class="polls">
            {polls.map((poll) => (
              <li key={poll.id}>
                <RequestStep request={poll} found={found.get(poll.id)} intervalMs={poll.interval_ms} />
              </li>
            ))}
          </ol>
        )}
        {requests.length > 0 && (
          <p class="hint">
            <a href={addressOf("requests", null, { payment: transaction.checkout_request_id })}>All its requests</a>
          </p>
        )}
      </li>
      {webhooks.length > 0 && (
        <li>
          <h3>
            Webhook <span class="count">{formatCount(webhooks.length)}</span>
          </h3>
          <p class="hint">The specification has no webhooks: a client must poll in any case.</p>
          <ul>
            {webhooks.map((delivery) => (
              <DeliveryItem key={delivery.id} delivery={delivery} />
            ))}
          </ul>
        </li>
      )}
    </ol>
  );
}

/** Who started a payment whose start is not in the log. */
function startOf({ transaction, started_by }: Story): string {
  if (started_by === "console") return "A test payment: a person started it here, in the console.";
  if (started_by === "control_api") return "A test payment: a program started it by POST /_momo/payments.";
  if (transaction.kind !== "api")
    return `Not started by a request to the merchant API: a payment of the kind ${transaction.kind}.`;
  return "Its request is not in the log, which keeps the last 1,000 since the server started.";
}

function PromptCard({ prompt }: { prompt: Prompt }) {
  return (
    <div class="prompt-card">
      <p>
        <b>{prompt.business}</b> asks <b>{formatPhone(prompt.phone)}</b> for <b>KES {formatAmount(prompt.amount)}</b>
      </p>
      <dl>
        <dt>Reference</dt>
        <dd>{prompt.reference ?? "none"}</dd>
        <dt>Description</dt>
        <dd>{prompt.description ?? "none"}</dd>
        <dt>Shown</dt>
        <dd>
          {timeOfDay(prompt.created_at)}, until {timeOfDay(prompt.expires_at)}
        </dd>
      </dl>
    </div>
  );
}
