import { addressOf } from "../actions.ts";
import { findingsByKind, labelOf } from "../logic/findings.ts";
import { capitalised, formatCount } from "../logic/format.ts";
import { areIdsReused, auditSummary, findings, isLoaded, requests } from "../state.ts";
import type { Example, Finding } from "../wire.ts";
import { Card } from "./card.tsx";

/** More findings of one kind, or more examples of one, do not help here. `momo audit` has them all. */
const MOST_SHOWN = 3;

const TONES: Readonly<Record<string, string>> = { error: "failed", warning: "pending" };

/** The findings by kind: the mistake, the advice, and the requests and payments. */
export function Audit() {
  return (
    <div class="cards scroll-view">
      <Card
        title="What the clients of this sandbox do wrong"
        label="Audit"
        count={formatCount(findings.value.length)}
        isWide
      >
        <p aria-live="polite">{auditSummary.value}</p>
        {isLoaded.value && findings.value.length === 0 && (
          <p class="hint">
            Nothing found. The audit checks every request to the merchant API. 30 s after the end of a payment, it also
            checks whether the client knows how it ended.
          </p>
        )}
      </Card>
      {[...findingsByKind(findings.value)].map(([kind, group]) => (
        <Group key={kind} kind={kind} group={group} />
      ))}
    </div>
  );
}

function Group({ kind, group }: { kind: string; group: readonly Finding[] }) {
  const [first] = group;
  if (!first) return null;
  return (
    <Card title={capitalised(labelOf({ kind }))} label={labelOf({ kind })} count={group.length} isWide>
      <p>
        <span class="pill" data-tone={TONES[first.severity]}>
          {first.severity}
        </span>{" "}
        {first.advice}
      </p>
      <ul class="finding-list">
        {group.slice(0, MOST_SHOWN).map((finding) => (
          <Item key={`${finding.checkout_request_id} ${finding.message}`} finding={finding} />
        ))}
      </ul>
      {group.length > MOST_SHOWN && (
        <p class="hint">
          And {formatCount(group.length - MOST_SHOWN)} more: <code>momo audit</code> has them all.
        </p>
      )}
    </Card>
  );
}

function Item({ finding }: { finding: Finding }) {
  const { message, examples, first_at, count, section } = finding;
  return (
    <li>
      <p>{message}</p>
      <p class="hint facts">
        {count > 1 && <b>{formatCount(count)} times</b>}
        {examples.slice(0, MOST_SHOWN).map((example, index) => (
          <ExampleLinks key={index} example={example} />
        ))}
        <span>
          first at <time>{first_at}</time>
        </span>
        <span>specification {section}</span>
      </p>
    </li>
  );
}

/** The payment of a mistake, and the requests that the log still has. Ids that were given again lead nowhere. */
function ExampleLinks({ example: { checkout_request_id, reference, request_ids } }: { example: Example }) {
  const oldest = requests.rows.value.at(-1)?.id ?? Number.POSITIVE_INFINITY;
  const kept = areIdsReused.value ? [] : request_ids.filter((id) => id >= oldest);
  const payment = `payment ${reference ?? checkout_request_id}`;
  return (
    <>
      {checkout_request_id !== null &&
        (areIdsReused.value ? (
          <span>{payment}</span>
        ) : (
          <a href={addressOf("transactions", checkout_request_id)}>{payment}</a>
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
