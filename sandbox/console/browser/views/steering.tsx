import { outcomeInWords } from "../logic/decisions.ts";
import { fallback } from "../state.ts";
import { Card } from "./card.tsx";
import { ClockCard } from "./clock.tsx";
import { CallForm, outcomeChoices, useForm } from "./form.tsx";
import { NextPaymentsCard } from "./next-payments.tsx";
import { FaultsCard, RulesCard } from "./rules-and-faults.tsx";
import { ResetCard, SnapshotsCard } from "./snapshots.tsx";
import { WebhookCard } from "./webhook.tsx";

export function Steering() {
  return (
    <div class="cards scroll-view">
      <NextPaymentsCard />
      <ClockCard />
      <DefaultCard />
      <RulesCard />
      <FaultsCard />
      <WebhookCard />
      <SnapshotsCard />
      <ResetCard />
    </div>
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
      <p class="hint">If no header, rule, limit or test phone decides: {outcomeInWords(inForce)}.</p>
      <CallForm form={form} call={{ method: "PUT", path: "/default", body }} action="Set">
        {form.select("outcome", outcomeChoices())}
        {form.input("after", { placeholder: "3s", size: 6 })}
      </CallForm>
    </Card>
  );
}
