import { fallback } from "../state.ts";
import { Card } from "./card.tsx";
import { CallForm, outcomeChoices, useForm } from "./form.tsx";

/** What prompts do if nothing else decides. */
export function DefaultCard() {
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
