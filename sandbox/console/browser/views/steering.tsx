import { api } from "../api.ts";
import { longDayOf, wallClock } from "../logic/format.ts";
import { clock, fallback, sandboxNow, server } from "../state.ts";
import { Card } from "./card.tsx";
import { CallForm, FormProblem, outcomeChoices, useForm } from "./form.tsx";
import { SnowflakeIcon } from "./marks.tsx";
import { FaultsCard, RulesCard } from "./rules-and-faults.tsx";
import { ResetCard, SnapshotsCard } from "./snapshots.tsx";
import { WebhookCard } from "./webhook.tsx";

/** Steers the network, the clock and the faults. */
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
  const isFrozen = clock.value?.frozen ?? false;
  const change = (body: object) => void form.run(() => api.post("/clock", body));
  const advance = (duration: string) => change({ advance: duration });
  const advanceAsTyped = () => advance(form.values.advance);
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
      <div class="row">
        {form.input("advance", { size: 6, onKeyDown: ({ key }) => key === "Enter" && advanceAsTyped() })}
        <button type="button" onClick={advanceAsTyped}>
          Advance
        </button>
        <button type="button" onClick={() => advance("10s")}>
          +10 s
        </button>
        <button type="button" onClick={() => advance("1m")}>
          +1 min
        </button>
        <button type="button" onClick={() => change(isFrozen ? { resume: true } : { freeze: true })}>
          {isFrozen ? "Resume" : "Freeze"}
        </button>
      </div>
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
      <CallForm form={form} call={{ method: "PUT", path: "/default", body }} action="Set">
        {form.select("outcome", outcomeChoices())}
        {form.input("after", { placeholder: "3s", size: 6 })}
      </CallForm>
    </Card>
  );
}
