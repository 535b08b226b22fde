import { api } from "../api.ts";
import { momoWords } from "../logic/commands.ts";
import { longDayOf, wallClock } from "../logic/format.ts";
import { clock, fallback, sandboxNow, server } from "../state.ts";
import { Card } from "./card.tsx";
import { type Control, ControlGroup } from "./commands.tsx";
import { CallForm, FormProblem, outcomeChoices, useForm } from "./form.tsx";
import { SnowflakeIcon } from "./marks.tsx";
import { FaultsCard, RulesCard } from "./rules-and-faults.tsx";
import { ResetCard, SnapshotsCard } from "./snapshots.tsx";
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
