import { useSignal } from "@preact/signals";
import { addressOf, setting } from "../actions.ts";
import { isLoaded } from "../asking.ts";
import { findingsByKind, labelOf } from "../logic/findings.ts";
import { capitalised, counted, formatCount } from "../logic/format.ts";
import { areIdsReused, audit, MOST_REQUESTS, requests } from "../state.ts";
import type { Example, Finding } from "../wire.ts";
import { Card } from "./card.tsx";
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
        count={formatCount(audit.value.findings.length)}
        isWide
      >
        <p aria-live="polite">{audit.value.message}</p>
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

function Group({ kind, group }: { kind: string; group: readonly Finding[] }) {
  const isWhole = useSignal(false);
  const [first] = group;
  if (!first) return null;
  return (
    <Card title={capitalised(labelOf({ kind }))} label={labelOf({ kind })} count={group.length} isWide>
      <p>
        <Severity of={first} /> {first.advice}
      </p>
      <ul class="finding-list">
        {group.slice(0, isWhole.value ? group.length : MOST_SHOWN).map((finding) => (
          <Item key={`${finding.checkout_request_id} ${finding.message}`} finding={finding} of={first} />
        ))}
      </ul>
      {group.length > MOST_SHOWN && !isWhole.value && (
        <div>
          <button type="button" onClick={setting(isWhole, true)}>
            Show all {formatCount(group.length)}
          </button>
        </div>
      )}
    </Card>
  );
}

/** @param of the first finding of the group, whose severity the group shows */
function Item({ finding, of }: { finding: Finding; of: Finding }) {
  const { severity, message, examples, first_at, count, section } = finding;
  return (
    <li>
      <p>
        {severity !== of.severity && <Severity of={finding} />} {message}
      </p>
      <p class="hint facts">
        {count > 1 && <b>{formatCount(count)} times</b>}
        {examples.map((example, index) => (
          <ExampleLinks key={index} example={example} />
        ))}
        {count > examples.length && <span>and {formatCount(count - examples.length)} more</span>}
        <span>
          first at <time>{first_at}</time>
        </span>
        <span>specification {section}</span>
      </p>
    </li>
  );
}

const Severity = ({ of: { severity } }: { of: Finding }) => (
  <span class="pill" data-tone={TONES[severity]}>
    {severity}
  </span>
);

/** The payment of a mistake, and the requests that the log still has. What a reset or a restore may have removed has no link. */
function ExampleLinks({ example: { checkout_request_id, reference, request_ids } }: { example: Example }) {
  const { value: log } = requests.newest;
  const oldest = log.at(-1)?.id ?? Number.POSITIVE_INFINITY;
  const kept = areIdsReused.value ? [] : request_ids.filter((id) => id >= oldest);
  // A reset and a restore empty the log.
  const isEarlier =
    audit.value.chapters > 1 && log.length < MOST_REQUESTS && request_ids.length > 0 && kept.length === 0;
  const payment = `payment ${reference ?? checkout_request_id}`;
  return (
    <>
      {checkout_request_id !== null &&
        (isEarlier || areIdsReused.value ? (
          <span>{payment}, from before a reset or restore</span>
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
