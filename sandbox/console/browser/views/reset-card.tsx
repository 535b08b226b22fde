import { api } from "../api.ts";
import { CommandLines } from "./commands.tsx";
import { ConfirmButton } from "./confirm-button.tsx";
import { FormProblem, useCall } from "./form.tsx";

/** As new, but for merchants, accounts and keys. */
export function ResetCard() {
  const call = useCall([]);
  return (
    <section class="card" aria-label="Reset">
      <h2>Reset</h2>
      <p class="hint">Forgets transactions, rules, faults, log and clock. Merchants, accounts and keys stay.</p>
      <div class="buttons">
        <ConfirmButton
          label="Reset"
          question="Forget it all?"
          run={() => void call.run(() => api.post("/reset", {}))}
        />
      </div>
      <FormProblem problems={call.problems} />
      <CommandLines command={{ method: "POST", path: "/reset", body: {}, momo: "momo reset" }} />
    </section>
  );
}
