import { useLayoutEffect } from "preact/hooks";
import { addressOf, select } from "../actions.ts";
import { findingsByCall } from "../logic/findings.ts";
import { formatAmount, formatCount, formatPhone, timeOfDay, wallClock } from "../logic/format.ts";
import { counted } from "../logic/in-force.ts";
import { formatRoute } from "../logic/route.ts";
import { findings, story, storyProblem } from "../state.ts";
import { pageAddress } from "../system.ts";
import type { Decision, Delivery, Prompt, Story } from "../wire.ts";
import { CodeBlock } from "./code-block.tsx";
import { CopyButton } from "./copy-button.tsx";
import { returnFocus } from "./long-list.tsx";
import { Pane } from "./pane.tsx";
import { RequestStep } from "./request-step.tsx";
import { StatusBadge } from "./status-badge.tsx";
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
      <Identity id={id} told={value} />
      {storyProblem.value && <p class="problem">{storyProblem.value}</p>}
      {value && (
        <>
          <StoryActions key={id} story={value} />
          <StoryTimeline story={value} />
          <Steps story={value} />
        </>
      )}
    </Pane>
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
  const { transaction, prompt, decided_by, requests, requests_left_out, result, sms, webhooks } = told;
  const mistakes = findingsByCall(findings.value);
  const [first, ...rest] = requests;
  // The log may have dropped the request, and test payments are not in it.
  const start = first?.target.includes("stkpush") ? first : undefined;
  const polls = start ? rest : requests;
  return (
    <ol class="steps">
      <li>
        <h3>Start</h3>
        {start ? (
          <RequestStep request={start} mistakes={mistakes.get(start.id)} isOpen />
        ) : (
          <p class="hint">{startOf(told)}</p>
        )}
      </li>
      <li>
        <h3>Prompt</h3>
        <PromptCard prompt={prompt} />
      </li>
      <li>
        <h3>Decision</h3>
        {decided_by ? <Decided decision={decided_by} /> : <p class="hint">Not recorded when this payment was made.</p>}
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
                <RequestStep request={poll} mistakes={mistakes.get(poll.id)} intervalMs={poll.interval_ms} />
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
          {webhooks.map((delivery) => (
            <WebhookStep key={delivery.id} delivery={delivery} />
          ))}
        </li>
      )}
      <li class="ending" data-status={transaction.status}>
        <h3>Outcome</h3>
        {result ? (
          <ResultCard result={result} sms={sms} />
        ) : (
          <p class="hint">None yet: the payment is pending. Pending is not a failure.</p>
        )}
        <details>
          <summary>The payment as the API lists it</summary>
          <CodeBlock text={JSON.stringify(transaction, null, 2)} what="the payment as JSON" />
        </details>
      </li>
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

/** One message for the webhook, and the result of each attempt. */
function WebhookStep({ delivery: { state, due_at, attempts, body } }: { delivery: Delivery }) {
  return (
    <details>
      <summary>
        {state === "waiting" ? `waiting until ${timeOfDay(due_at)}` : state}
        {attempts.length > 0 && `, ${counted(attempts.length, "attempt")}`}
      </summary>
      <ul class="attempts">
        {attempts.map(({ at, at_ms, status, problem }) => (
          <li key={at_ms}>
            <time>{timeOfDay(at)}</time> {status ?? "no answer"}
            {problem === null ? "" : `: ${problem}`}
          </li>
        ))}
      </ul>
      <CodeBlock text={JSON.stringify(body, null, 2)} what="the message" />
    </details>
  );
}

/** The result of the network, its meaning, and the advice for a client. */
function ResultCard({ result, sms }: { result: NonNullable<Story["result"]>; sms: string | null }) {
  return (
    <div class="result-card">
      <p class="code-line">
        <code class="result-code">{result.code}</code>
        <span>{result.description}</span>
      </p>
      <dl>
        <dt>It means</dt>
        <dd>{result.meaning}</dd>
        <dt>What to do</dt>
        <dd>{result.advice}</dd>
      </dl>
      {sms && <blockquote class="sms">{sms}</blockquote>}
    </div>
  );
}

const WHO: Readonly<Record<Decision["who"], string>> = {
  header: "Request header",
  rule: "Rule",
  network_limit: "Network's limit",
  test_phone: "Test phone",
  default: "Default",
  person: "Person",
  deadline: "Deadline",
};

function Decided({ decision: { who, rule, outcome, at_ms, in_words } }: { decision: Decision }) {
  return (
    <div class="decision">
      <p>
        <span class="tag">
          {WHO[who]}
          {rule === undefined ? "" : ` ${rule}`}
        </span>{" "}
        <code>{outcome}</code> {at_ms !== null && <time class="hint">at {wallClock(at_ms)}</time>}
      </p>
      <p class="hint">{in_words}</p>
    </div>
  );
}
