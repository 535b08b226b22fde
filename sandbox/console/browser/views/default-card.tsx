import { useSignal } from "@preact/signals";
import { api } from "../api.ts";
import { fallback } from "../state.ts";
import { CommandLines } from "./commands.tsx";
import { Field, FormProblem, submits, useCall } from "./form.tsx";
import { OutcomeSelect } from "./outcome-select.tsx";
import { TextField } from "./text-field.tsx";

/** What prompts do if nothing else decides. */
export function DefaultCard() {
  const call = useCall(["outcome", "after"]);
  const chosen = useSignal<string | null>(null);
  const after = useSignal("");
  if (!fallback.value) return null;
  const outcome = chosen.value ?? fallback.value.outcome;
  const body = { outcome, ...(after.value !== "" && { after: after.value }) };

  async function submit() {
    if (await call.run(() => api.put("/default", body))) chosen.value = null;
  }
  return (
    <section class="card" aria-label="Default outcome">
      <h2>Default outcome</h2>
      <p class="hint">
        Where no header, rule, limit or test phone decides: <code>{fallback.value.outcome}</code>
        {fallback.value.after && <> after {fallback.value.after}</>}.
      </p>
      <form class="row" onSubmit={submits(submit)}>
        <Field form="default" name="outcome" label="Outcome" problems={call.problems}>
          {(input) => (
            <OutcomeSelect
              {...input}
              value={outcome}
              onChange={(event) => {
                chosen.value = event.currentTarget.value;
              }}
            />
          )}
        </Field>
        <TextField
          form="default"
          name="after"
          label="After"
          problems={call.problems}
          placeholder="3s"
          size={6}
          value={after.value}
          onText={(text) => {
            after.value = text;
          }}
        />
        <button type="submit">Set</button>
      </form>
      <FormProblem problems={call.problems} />
      <CommandLines command={{ method: "PUT", path: "/default", body, momo: null }} />
    </section>
  );
}
