import { useSignal } from "@preact/signals";
import { fallback } from "../state.ts";
import { Card } from "./card.tsx";
import { CallForm, type Draft, OutcomeOptions, useForm } from "./form.tsx";

const LABELS = { outcome: "Outcome", after: "After" };

/** What prompts do if nothing else decides. */
export function DefaultCard() {
  const draft = useSignal<Draft<keyof typeof LABELS>>({});
  const inForce = fallback.value;
  const form = useForm("default", LABELS, draft, { outcome: inForce?.outcome ?? "" });
  if (!inForce) return null;
  const { outcome, after } = form.values;
  return (
    <Card title="Default outcome">
      <p class="hint">
        If no header, rule, limit or test phone decides: <code>{inForce.outcome}</code>
        {inForce.after && <> after {inForce.after}</>}.
      </p>
      <CallForm
        call={form}
        command={{ method: "PUT", path: "/default", body: { outcome, after: after || undefined } }}
        action="Set"
        onDone={() => {
          draft.value = { after };
        }}
      >
        {form.select("outcome", <OutcomeOptions />)}
        {form.input("after", { placeholder: "3s", size: 6 })}
      </CallForm>
    </Card>
  );
}
