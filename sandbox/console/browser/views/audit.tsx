import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { addressOf, setting } from "../actions.ts";
import { statusOf } from "../arrivals.ts";
import { isLoaded } from "../asking.ts";
import { findingsByKind, labelOf } from "../logic/findings.ts";
import { capitalised, counted, formatCount, momentInWords } from "../logic/format.ts";
import { areIdsReused, audit, MOST_REQUESTS, requests, route } from "../state.ts";
import type { Example, Finding } from "../wire.ts";
import { Card, Pairs } from "./card.tsx";
import { ConfirmButton } from "./dialog.tsx";

/** How many findings of a kind are shown at first, and how many requests of one. */
const MOST_SHOWN = 3;

const TONES: Readonly<Record<string, string>> = { error: "failed", warning: "pending" };

/** The findings by kind: the mistake, the advice, and the requests and payments. */
export function Audit() {
  return (
    <div class="cards scroll-view">
      <Card
        title="What the clients of this sandbox do wrong"
        label="Audit"
        count={counted(audit.value.findings.length, "finding")}
        isWide
      >
        <div aria-live="polite">
          <Summary />
        </div>
        {audit.value.findings.length > 0 && (
          <div>
            <ConfirmButton
              label="Forget the findings …"
              question="Forget the findings?"
              loss={`Lost for good: ${counted(audit.value.findings.length, "finding")}, and the counts of requests and payments. The payments stay.`}
              yes="Forget them"
              call={{ method: "DELETE", path: "/audit" }}
              onDone={audit.refresh}
            />
          </div>
        )}
        {isLoaded.value && audit.value.findings.length === 0 && (
          <p class="hint">
            Nothing found. The audit checks every request to the merchant API. 30 s after the end of a payment, it also
            checks whether the client knows how it ended.
          </p>
        )}
      </Card>
      {[...findingsByKind(audit.value.findings)].map(([kind, group]) => (
        <Group key={kind} kind={kind} group={group} />
      ))}
    </div>
  );
}

/** What happened, whether it was right or wrong. */
function Summary() {
  const { requests, accepted, payments, deliveries } = audit.value;
  const count = formatCount;
  return (
    <Pairs
      of={[
        ["Requests", `${count(requests)}: ${count(accepted)} accepted, ${count(requests - accepted)} refused`],
        ["Payments", `${count(payments.started)} started, ${count(payments.paid)} paid`],
        ["End not known", payments.not_learned > 0 && count(payments.not_learned)],
        [
          "Webhooks",
          deliveries.sent > 0 && `${count(deliveries.sent)} sent, ${count(deliveries.not_taken)} not answered with 2xx`,
        ],
      ]}
    />
  );
}

function Group({ kind, group }: { kind: string; group: readonly Finding[] }) {
  const isWhole = useSignal(false);
  const place = useRef<HTMLUListElement>(null);
  // A link leads to the findings of a kind.
  const isSought = route.value.selected === kind;
  useEffect(() => {
    if (isSought) place.current?.scrollIntoView();
  }, [isSought]);
  const shown = group.slice(0, isWhole.value ? group.length : MOST_SHOWN);
  return (
    <Card
      title={capitalised(labelOf({ kind }))}
      label={labelOf({ kind })}
      count={counted(group.length, "finding")}
      isWide
    >
      <ul ref={place} class="finding-list">
        {shown.map((finding, index) => (
          <Item
            key={`${finding.checkout_request_id} ${finding.message}`}
            finding={finding}
            isAdvised={finding.advice !== shown[index - 1]?.advice}
          />
        ))}
      </ul>
      {group.length > shown.length && (
        <div>
          <button type="button" onClick={setting(isWhole, true)}>
            Show all {formatCount(group.length)}
          </button>
        </div>
      )}
    </Card>
  );
}

/** @param isAdvised whether its advice is shown: if not, the one above is the same */
function Item({ finding, isAdvised }: { finding: Finding; isAdvised: boolean }) {
  const { severity, message, advice, reference, examples, first_at, count, section } = finding;
  return (
    <li class="stack">
      <p>
        <span class="pill" data-tone={TONES[severity]}>
          {severity}
        </span>{" "}
        {count > 1 && (
          <b>
            {counted(count, "mistake")}, first{reference && ` for ${reference}`}:{" "}
          </b>
        )}
        {message}
      </p>
      {isAdvised && <p>{advice}</p>}
      <p class="hint facts">
        {examples.map((example, index) => (
          <ExampleLinks key={index} example={example} />
        ))}
        {count > examples.length && <span>and {counted(count - examples.length, "more mistake")}</span>}
        <span>first at {momentInWords(first_at)}</span>
        <span>specification {section}</span>
      </p>
    </li>
  );
}

/** The payment of a mistake, and the requests that the log still has. What a reset or a restore has removed has no link. */
function ExampleLinks({ example: { checkout_request_id, reference, request_ids } }: { example: Example }) {
  const { value: log } = requests.newest;
  const oldest = log.at(-1)?.id ?? Number.POSITIVE_INFINITY;
  const kept = areIdsReused.value ? [] : request_ids.filter((id) => id >= oldest);
  // A reset and a restore empty the log.
  const isEarlier =
    audit.value.chapters > 1 && log.length < MOST_REQUESTS && request_ids.length > 0 && kept.length === 0;
  // A restore brings payments back.
  const isHere = !areIdsReused.value && (!isEarlier || statusOf(checkout_request_id ?? "") !== null);
  const payment = `payment ${reference ?? checkout_request_id}`;
  return (
    <>
      {checkout_request_id !== null &&
        (isHere ? (
          <a href={addressOf("transactions", checkout_request_id)}>{payment}</a>
        ) : (
          <span>{payment}, from before a reset or restore</span>
        ))}
      {kept.length > 0 && (
        <span>
          {kept.length === 1 ? "request" : "requests"}{" "}
          {kept.slice(0, MOST_SHOWN).map((id) => (
            <a key={id} href={addressOf("requests", String(id))}>
              {id}
            </a>
          ))}
          {kept.length > MOST_SHOWN && ` and ${kept.length - MOST_SHOWN} more`}
        </span>
      )}
    </>
  );
}
