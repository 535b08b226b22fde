import { reasonOf } from "../../../network/reason.ts";
import { addressOf, goTo, select } from "../actions.ts";
import { api } from "../api.ts";
import { findingsByCall } from "../logic/findings.ts";
import { formatAmount, formatCount, formatPhone, timeOfDay } from "../logic/format.ts";
import { formatRoute } from "../logic/route.ts";
import { pickPhone } from "../phones.ts";
import { findings, outcomes, story, storyProblem } from "../state.ts";
import { pageAddress } from "../system.ts";
import type { Prompt, Story } from "../wire.ts";
import { copied, Pairs } from "./card.tsx";
import { CodeBlock, CopyButton } from "./copy.tsx";
import { FormProblem, useCall } from "./form.tsx";
import { Pane } from "./long-list.tsx";
import { StatusBadge } from "./marks.tsx";
import { RequestStep } from "./request-step.tsx";
import { startRule } from "./rules-and-faults.tsx";
import { StoryTimeline } from "./story-timeline.tsx";
import { DeliveryItem } from "./webhook.tsx";

/** The story of one payment, from its request to its end, with advice. */
export function StoryPane({ id }: { id: string }) {
  const told = story.value;
  const pane = { label: "Story of a payment", what: "the story", row: id };
  if (!told) {
    return (
      <Pane {...pane} title="Payment">
        {storyProblem.value && <p class="problem">{storyProblem.value}</p>}
        <Identity id={id} />
      </Pane>
    );
  }
  const { amount, status } = told.transaction;
  const title = ["KES ", formatAmount(amount), " ", <StatusBadge key="status" status={status} />];
  return (
    <Pane {...pane} title={title}>
      <Ending story={told} />
      <StoryTimeline story={told} />
      <StoryActions key={id} story={told} />
      <Identity id={id} transaction={told.transaction} />
      <Steps story={told} />
      <details class="hint">
        <summary>The payment as the API lists it</summary>
        <CodeBlock text={JSON.stringify(told.transaction, null, 2)} what="the payment as JSON" />
      </details>
    </Pane>
  );
}

/** The end first: the outcome, its meaning, who decided it, and what to do. */
function Ending({ story: { transaction, result, decided_by, sms } }: { story: Story }) {
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
          ["Who decided", decided_by.in_words],
          ["What to do", result?.advice ?? "Ask for its status again, 3 to 5 seconds after the last answer."],
        ]}
      />
      {sms && <blockquote class="small box sms">{sms}</blockquote>}
    </section>
  );
}

/** The identifiers of the payment, each with a copy button. */
function Identity({ id, transaction }: { id: string; transaction?: Story["transaction"] }) {
  const link = pageAddress(formatRoute({ view: "transactions", selected: id, query: {} }));
  const { reference, phone, merchant_request_id, momo_receipt_number, transaction_code } = transaction ?? {};
  const ids = [
    ["Reference", reference],
    ["Phone", phone && formatPhone(phone)],
    ["Checkout request id", id],
    ["Merchant request id", merchant_request_id],
    ["Receipt", momo_receipt_number],
    ["Transaction code", transaction_code],
  ] as const;
  const copy = <CopyButton text={link} what="a link to this payment" label="Copy it" />;
  return (
    <Pairs
      class="ids"
      of={[...ids.map(([name, text]) => [name, copied(name.toLowerCase(), text)] as const), ["Link", copy]]}
    />
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
          Polls <span class="pill">{formatCount(polls.length + requests_left_out)}</span>
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
            <a href={addressOf("requests", null, { search: transaction.checkout_request_id })}>All its requests</a>
          </p>
        )}
      </li>
      {webhooks.length > 0 && (
        <li>
          <h3>
            Webhook <span class="pill">{formatCount(webhooks.length)}</span>
          </h3>
          <p class="hint">The specification has no webhooks: a client must poll in any case.</p>
          <ul class="entries">
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
    <div class="box stack">
      <p>
        <b>{prompt.business}</b> asks <b>{formatPhone(prompt.phone)}</b> for <b>KES {formatAmount(prompt.amount)}</b>
      </p>
      <Pairs
        of={[
          ["Reference", prompt.reference ?? "none"],
          ["Description", prompt.description ?? "none"],
          ["Shown", `${timeOfDay(prompt.created_at)}, until ${timeOfDay(prompt.expires_at)}`],
        ]}
      />
    </div>
  );
}

/** Actions for a payment. */
function StoryActions({ story }: { story: Story }) {
  const { transaction, payment_account_id, prompt, decided_by } = story;
  const call = useCall();
  const { phone, amount, kind } = transaction;
  const { reference, description } = prompt;
  const named = reference === null ? {} : { reference };
  const order = { payment_account_id, phone, amount, ...named, ...(description !== null && { description }), kind };
  const sendAgain = () =>
    call.run(async () => {
      const started = await api.post<{ checkout_request_id: string }>("/payments", order);
      pickPhone(phone);
      select(started.checkout_request_id);
    });
  function makeRule() {
    const { outcome, result_code, result_desc } = decided_by;
    const own = result_code === undefined ? {} : { result_code, result_desc };
    startRule({ match: { phone, amount, ...named }, outcome, ...own, times: 1 });
    goTo("steering");
  }
  return (
    <div class="stack">
      <div class="row">
        <button type="button" onClick={() => void sendAgain()}>
          Send again
        </button>
        <button type="button" onClick={makeRule}>
          Make a rule of it
        </button>
      </div>
      <FormProblem problems={call.problems} />
    </div>
  );
}
