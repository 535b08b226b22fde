import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../api.ts";
import { momoWords } from "../logic/commands.ts";
import { isFiltered } from "../logic/filters.ts";
import { longDayOf, wallClock } from "../logic/format.ts";
import { counted } from "../logic/steering.ts";
import {
  clock,
  counts,
  fallback,
  faults,
  filters,
  isLoaded,
  merchants,
  requests,
  rules,
  sandboxNow,
  server,
  webhook,
} from "../state.ts";
import type { Snapshot } from "../wire.ts";
import { Card } from "./card.tsx";
import { CommandLines, type Control, ControlGroup } from "./commands.tsx";
import { ConfirmButton } from "./dialog.tsx";
import { CallForm, FormProblem, outcomeChoices, useCall, useForm } from "./form.tsx";
import { SnowflakeIcon } from "./marks.tsx";
import { FaultsCard, RulesCard } from "./rules-and-faults.tsx";
import { WebhookCard } from "./webhook.tsx";

/** Steers the network, the clock and the faults. Each control shows the commands that do the same. */
export function Steering() {
  return (
    <div class="cards scroll-view">
      <ClockCard />
      <DefaultCard />
      <RulesCard />
      <FaultsCard />
      <WebhookCard />
      {server.value?.accept === "lenient" && (
        <Card title="Lenient" isWide>
          <p class="hint">
            This server also accepts requests that the strict form refuses, as the real services do. That is chosen at
            its start: <code>momo serve --accept lenient</code>.
          </p>
        </Card>
      )}
      <SnapshotsCard />
      <ResetCard />
    </div>
  );
}

function ClockCard() {
  const form = useForm("clock", { advance: "Duration" }, { advance: "90s" });
  const now = sandboxNow.value;
  function control(label: string, body: object, words: string[]): Control {
    const command = { method: "POST", path: "/clock", body, momo: momoWords(["clock", ...words]) };
    return { label, command, run: () => void form.run(() => api.call(command)) };
  }
  const isFrozen = clock.value?.frozen ?? false;
  const advance = (label: string, duration: string) => control(label, { advance: duration }, ["advance", duration]);
  const typed = advance("Advance", form.values.advance);
  const controls = [
    typed,
    advance("+10 s", "10s"),
    advance("+1 min", "1m"),
    isFrozen ? control("Resume", { resume: true }, ["resume"]) : control("Freeze", { freeze: true }, ["freeze"]),
  ];
  return (
    <Card title="Clock">
      <p class="row big-clock">
        <time>{now === null ? "–" : wallClock(now)}</time>
        <span class="muted">{now === null ? "" : `${longDayOf(now)}, Nairobi`}</span>
        {isFrozen && (
          <span class="pill">
            <SnowflakeIcon /> frozen
          </span>
        )}
      </p>
      <p class="hint">A payment whose time has come ends at once.</p>
      <ControlGroup controls={controls}>
        {form.input("advance", { size: 6, onKeyDown: ({ key }) => key === "Enter" && typed.run() })}
      </ControlGroup>
      <FormProblem problems={form.problems} />
    </Card>
  );
}

/** What prompts do if nothing else decides. */
function DefaultCard() {
  const inForce = fallback.value;
  const form = useForm("default", { outcome: "Outcome", after: "After" }, { outcome: inForce?.outcome ?? "" });
  if (!inForce) return null;
  const { outcome, after } = form.values;
  const body = { outcome, after: after || undefined };
  return (
    <Card title="Default outcome">
      <p class="hint">
        If no header, rule, limit or test phone decides: <code>{inForce.outcome}</code>
        {inForce.after && <> after {inForce.after}</>}.
      </p>
      <CallForm form={form} command={{ method: "PUT", path: "/default", body }} action="Set">
        {form.select("outcome", outcomeChoices())}
        {form.input("after", { placeholder: "3s", size: 6 })}
      </CallForm>
    </Card>
  );
}

/** Saves the state under a name, and restores it. */
function SnapshotsCard() {
  const snapshots = useSignal<readonly Snapshot[]>([]);
  const form = useForm("snapshot", { name: "Name" });
  const { name } = form.values;
  const load = async () => {
    snapshots.value = (await api.get<{ snapshots: Snapshot[] }>("/snapshots")).snapshots;
  };
  useEffect(() => {
    if (isLoaded.value) void form.run(load);
  }, [isLoaded.value]);
  const done = useSignal("");
  const change = (words: string, method: string, path: string) =>
    void form.run(async () => {
      done.value = "";
      await api.call({ method, path, ...(method === "POST" && { body: {} }) });
      done.value = words;
      await load();
    });
  return (
    <Card title="Snapshots" count={snapshots.value.length} isWide>
      <p class="hint">
        Payments, rules, faults, default, webhook and clock under a name, until the server ends. Merchants, accounts and
        keys are not in it.
      </p>
      <ul class="entries">
        {snapshots.value.map((snapshot) => (
          <li key={snapshot.name} class="row between">
            <span>
              <b>{snapshot.name}</b>: {contentOf(snapshot)}
            </span>
            <span class="row">
              <ConfirmButton
                id={`restore-${snapshot.name}`}
                label={`Restore ${snapshot.name} …`}
                question={`Restore “${snapshot.name}”?`}
                loss={`${goingInWords("What is here goes")} In its place comes “${snapshot.name}”: ${contentOf(snapshot)}, with its default and webhook. ${KEPT}`}
                yes="Restore it"
                run={() =>
                  change(
                    `“${snapshot.name}” is restored: ${contentOf(snapshot)}.`,
                    "POST",
                    `/snapshots/${snapshot.name}/restore`,
                  )
                }
              />
              <ConfirmButton
                id={`remove-${snapshot.name}`}
                label={`Remove ${snapshot.name} …`}
                question={`Remove “${snapshot.name}”?`}
                loss={`Lost for good: the snapshot with ${contentOf(snapshot)}.`}
                yes="Remove it"
                run={() => change(`“${snapshot.name}” is removed.`, "DELETE", `/snapshots/${snapshot.name}`)}
              />
            </span>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {done.value}
      </p>
      <CallForm
        form={form}
        command={{
          method: "PUT",
          path: `/snapshots/${encodeURIComponent(name)}`,
          body: {},
          momo: momoWords(["snapshot", "save", name]),
        }}
        action="Save"
        isIncomplete={name === ""}
        onDone={() => {
          done.value = `“${name}” is saved.`;
          void load();
        }}
      >
        {form.input("name", { placeholder: "prepared" })}
      </CallForm>
    </Card>
  );
}

/** `2 payments, 1 rule, at 2026-11-20 10:00:00, frozen` */
function contentOf({ transactions, rules: ofRules, faults: ofFaults, at, frozen }: Snapshot): string {
  const parts = [
    counted(transactions, "payment"),
    ...(ofRules > 0 ? [counted(ofRules, "rule")] : []),
    ...(ofFaults > 0 ? [counted(ofFaults, "fault")] : []),
    `at ${at}`,
    ...(frozen ? ["frozen"] : []),
  ];
  return parts.join(", ");
}

const KEPT = "Merchants, accounts, keys and findings stay.";

/** Resets everything except merchants, accounts and keys. */
function ResetCard() {
  const call = useCall();
  const done = useSignal("");
  async function reset() {
    done.value = "";
    if (await call.run(() => api.post("/reset", {}))) done.value = "Everything is reset.";
  }
  return (
    <Card title="Reset">
      <p class="hint">
        Removes payments, rules, faults, the log and the webhook, and resets the default and the clock. {KEPT}
      </p>
      <div>
        <ConfirmButton
          id="confirm-reset"
          label="Reset …"
          question="Forget it all?"
          loss={`${goingInWords("Lost for good")} ${KEPT}`}
          yes="Forget it all"
          run={() => void reset()}
        />
      </div>
      <p class="hint" role="status">
        {done.value}
      </p>
      <FormProblem problems={call.problems} />
      <CommandLines command={{ method: "POST", path: "/reset", body: {}, momo: "reset --yes" }} />
    </Card>
  );
}

/** After `lead`, what a reset or a restore removes: `62 payments, 3 rules, 140 logged requests.` */
function goingInWords(lead: string): string {
  const { value } = counts;
  const payments = value
    ? value.completed_count + value.failed_count + value.cancelled_count + value.expired_count + value.pending_count
    : 0;
  const parts = [
    [payments, "payment"],
    [rules.value.length, "rule"],
    [faults.value.faults.length, "fault"],
    [requests.value.length, "logged request"],
  ] as const;
  const words = parts.filter(([count]) => count > 0).map(([count, what]) => counted(count, what));
  if (webhook.value) words.push("the webhook");
  // The counts are only for these filters and one merchant.
  const hidden = isFiltered(filters.value) ? ", and the payments that the filters hide" : "";
  const others = merchants.value.length > 1 ? `${hidden}, and the payments of the other merchants` : hidden;
  return `${lead}: ${words.join(", ") || "nothing but the clock"}${others}.`;
}
