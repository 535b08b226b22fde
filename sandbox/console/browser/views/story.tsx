import { useEffect, useRef } from "preact/hooks";
import { goTo } from "../actions.ts";
import { findingsByRequest } from "../logic/findings.ts";
import { formatAmount, formatCount, formatPhone, timeOfDay, wallClock } from "../logic/format.ts";
import { findings, route, story, storyProblem } from "../state.ts";
import type { Decision, Delivery, Prompt, Story } from "../wire.ts";
import { CodeBlock } from "./code-block.tsx";
import { CloseIcon } from "./icons.tsx";
import { RequestStep } from "./request-step.tsx";
import { StatusBadge } from "./status-badge.tsx";

/** One payment from its request to its end, and what to make of it. */
export function StoryPane({ id }: { id: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [id]);
  const close = () => goTo({ view: route.value.view, checkoutRequestId: null });
  const { value } = story;
  return (
    <section class="story" aria-label="Story of a payment" onKeyDown={(event) => event.key === "Escape" && close()}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {value ? (
            <>
              KES {formatAmount(value.transaction.amount)} <StatusBadge status={value.transaction.status} />
            </>
          ) : (
            "Payment"
          )}
        </h2>
        <button type="button" class="quiet square" aria-label="Close the story" onClick={close}>
          <CloseIcon />
        </button>
        <p class="hint">
          {value && `${formatPhone(value.transaction.phone)} · `}
          <code>{id}</code>
        </p>
      </header>
      {storyProblem.value && <p class="problem">{storyProblem.value}</p>}
      {value && <Steps story={value} />}
    </section>
  );
}

function Steps({ story: told }: { story: Story }) {
  const { transaction, prompt, decided_by, requests, requests_left_out, result, sms, webhooks } = told;
  const mistakes = findingsByRequest(findings.value, requests[0]?.id ?? 0);
  const [first, ...polls] = requests;
  // It may have left the log, and some payments never were in it.
  const start = first?.target.includes("stkpush") ? first : undefined;
  const later = start ? polls : requests;
  return (
    <ol class="steps">
      <li>
        <h3>Request</h3>
        {start ? (
          <RequestStep request={start} mistakes={mistakes.get(start.id)} isOpen />
        ) : (
          <p class="hint">
            {transaction.kind === "api"
              ? "No longer in the log, which keeps the last 1,000 calls since the server started."
              : `Not a call of the merchant API: a payment of the kind ${transaction.kind}.`}
          </p>
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
          Polls <span class="count">{formatCount(later.length + requests_left_out)}</span>
        </h3>
        {requests_left_out > 0 && <p class="hint">The last {formatCount(later.length)} of them:</p>}
        {later.length === 0 ? (
          <p class="hint">Nobody has asked for the status yet.</p>
        ) : (
          <ol class="polls">
            {later.map((poll) => (
              <li key={poll.id}>
                <RequestStep request={poll} mistakes={mistakes.get(poll.id)} intervalMs={poll.interval_ms} />
              </li>
            ))}
          </ol>
        )}
      </li>
      <li class="ending" data-status={transaction.status}>
        <h3>Answer</h3>
        {result ? (
          <ResultCard result={result} sms={sms} />
        ) : (
          <p class="hint">None yet: the payment is pending. Pending is not a failure.</p>
        )}
        <details>
          <summary>The transaction as the API lists it</summary>
          <CodeBlock text={JSON.stringify(transaction, null, 2)} what="the transaction" />
        </details>
      </li>
      {webhooks.length > 0 && (
        <li>
          <h3>
            Webhooks <span class="count">{formatCount(webhooks.length)}</span>
          </h3>
          <p class="hint">The specification knows none: a client polls in any case.</p>
          {webhooks.map((delivery) => (
            <Webhook key={delivery.id} delivery={delivery} />
          ))}
        </li>
      )}
    </ol>
  );
}

/** One message for the webhook, and how each attempt to deliver it ended. */
function Webhook({ delivery: { state, due_at, attempts, body } }: { delivery: Delivery }) {
  return (
    <details>
      <summary>
        {state === "waiting" ? `waiting until ${timeOfDay(due_at)}` : state}
        {attempts.map(({ at, status, problem }) => (
          <span key={at} class="hint">
            {" "}
            · {timeOfDay(at)} {status ?? "no answer"}
            {problem === null ? "" : `: ${problem}`}
          </span>
        ))}
      </summary>
      <CodeBlock text={JSON.stringify(body, null, 2)} what="the message" />
    </details>
  );
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
        <dt>Shown</dt>
        <dd>{timeOfDay(prompt.created_at)}</dd>
        <dt>Description</dt>
        <dd>{prompt.description ?? "none"}</dd>
        <dt>Expires</dt>
        <dd>{timeOfDay(prompt.expires_at)}</dd>
      </dl>
    </div>
  );
}

/** What the network said, what it means, and what a client does about it. */
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
