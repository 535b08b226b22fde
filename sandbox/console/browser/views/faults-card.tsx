import { numberOrText } from "../logic/problems.ts";
import { faultInWords } from "../logic/steering.ts";
import { faults } from "../state.ts";
import { Card } from "./card.tsx";
import type { Command } from "./commands.tsx";
import { ANY, CallForm, useForm } from "./form.tsx";
import { RemovableList } from "./removable-list.tsx";
import { useUndo } from "./undo.tsx";

const PATHS = [ANY, "/stkpush.php", "/status.php", "/transactions.php"];
const KINDS = [
  ["error", "an error"],
  ["delay", "a delay"],
  ["disconnect", "the answer is lost"],
] as const;
const LABELS = {
  path: "Operation",
  kind: "What happens",
  status: "HTTP status",
  delay: "Delay",
  probability: "Probability",
  times: "Times",
  seed: "Seed",
};
const FIRST = { path: "/status.php", kind: "error", status: "503", delay: "5s" };

export function FaultsCard() {
  const form = useForm("fault", LABELS, FIRST);
  const undo = useUndo(form);
  const { seed, faults: inForce } = faults.value;
  const { kind } = form.values;
  const body = { seed: numberOrText(form.values.seed), faults: [...inForce, faultOf(form.values)] };
  const replacement = (next: readonly unknown[]): Command =>
    next.length === 0
      ? { method: "DELETE", path: "/faults" }
      : { method: "PUT", path: "/faults", body: { seed, faults: next } };
  return (
    <Card title="Faults" count={inForce.length} isWide>
      {inForce.length === 0 ? (
        <p class="hint">
          No faults. A fault affects requests to the merchant API. The same seed gives the same faults.
        </p>
      ) : (
        <>
          <RemovableList what="fault" entries={inForce} inWords={faultInWords} replacement={replacement} undo={undo} />
          <p class="hint">Seed {seed}</p>
        </>
      )}
      {undo.line}
      <CallForm form={form} command={{ method: "PUT", path: "/faults", body }} action="Add fault">
        {form.select("path", PATHS)}
        {form.select("kind", KINDS)}
        {kind === "error" && form.input("status", { placeholder: "500", size: 5 })}
        {kind === "delay" && form.input("delay", { placeholder: "5s", size: 5 })}
        {form.input("probability", { placeholder: "1", size: 5 })}
        {form.input("times", { placeholder: "always", size: 6 })}
        {form.input("seed", { placeholder: "drawn", size: 8 })}
      </CallForm>
    </Card>
  );
}

const faultOf = ({ path, kind, status, delay, probability, times }: Record<keyof typeof LABELS, string>) => ({
  path: path || undefined,
  kind,
  status: kind === "error" ? numberOrText(status) : undefined,
  delay: kind === "delay" ? delay : undefined,
  probability: numberOrText(probability),
  times: numberOrText(times),
});
