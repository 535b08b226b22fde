import { useSignal } from "@preact/signals";
import { api } from "../api.ts";
import { numberOrText } from "../logic/problems.ts";
import { counted, faultInWords } from "../logic/steering.ts";
import { faults } from "../state.ts";
import { Card } from "./card.tsx";
import { type Command, ControlGroup, RemovableList } from "./commands.tsx";
import { CallForm, type Draft, Options, useForm } from "./form.tsx";
import { UndoLine, useUndo } from "./undo.tsx";

const PATHS = ["/stkpush.php", "/status.php", "/transactions.php"];
const KINDS = { error: "an error", delay: "a delay", disconnect: "the answer is lost" };
const LABELS = {
  path: "Operation",
  kind: "What happens",
  status: "HTTP status",
  delay: "Delay",
  probability: "Probability",
  times: "Times",
  seed: "Seed",
};
type Name = keyof typeof LABELS;
const FIRST = { path: "/status.php", kind: "error", status: "503", delay: "5s" };

export function FaultsCard() {
  const draft = useSignal<Draft<Name>>({});
  const form = useForm("fault", LABELS, draft, FIRST);
  const undo = useUndo();
  const { seed, faults: inForce } = faults.value;
  const { kind } = form.values;
  const body = { seed: numberOrText(form.values.seed), faults: [...inForce, faultOf(form.values)] };
  async function replace(next: readonly unknown[]) {
    const words = `${counted(inForce.length - next.length, "fault")} removed.`;
    const put = (list: readonly unknown[]) => form.run(() => api.call(replacement(seed, list)));
    if (await put(next)) undo.offer(words, () => void put(inForce));
  }
  return (
    <Card title="Faults" count={inForce.length} isWide>
      {inForce.length === 0 ? (
        <p class="hint">
          No faults. A fault affects requests to the merchant API. The same seed gives the same faults.
        </p>
      ) : (
        <>
          <RemovableList
            what="fault"
            items={inForce.map((fault, index) => {
              const rest = inForce.toSpliced(index, 1);
              const remove = () => void replace(rest);
              return { words: faultInWords(fault), command: replacement(seed, rest), remove };
            })}
          />
          <p class="hint">Seed {seed}</p>
        </>
      )}
      <UndoLine undo={undo} />
      <CallForm
        call={form}
        command={{ method: "PUT", path: "/faults", body }}
        action="Add fault"
        onDone={() => {
          draft.value = {};
        }}
      >
        {form.select(
          "path",
          <>
            <option value="">any</option>
            <Options names={PATHS} />
          </>,
        )}
        {form.select(
          "kind",
          Object.entries(KINDS).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          )),
        )}
        {kind === "error" && form.input("status", { placeholder: "500", size: 5 })}
        {kind === "delay" && form.input("delay", { placeholder: "5s", size: 5 })}
        {form.input("probability", { placeholder: "1", size: 5 })}
        {form.input("times", { placeholder: "always", size: 6 })}
        {form.input("seed", { placeholder: "drawn", size: 8 })}
      </CallForm>
      {inForce.length > 0 && (
        <ControlGroup
          controls={[{ label: "Remove all", run: () => void replace([]), command: replacement(seed, []) }]}
        />
      )}
    </Card>
  );
}

/** The call that replaces all faults by these. */
const replacement = (seed: number, next: readonly unknown[]): Command =>
  next.length === 0
    ? { method: "DELETE", path: "/faults" }
    : { method: "PUT", path: "/faults", body: { seed, faults: next } };

const faultOf = ({ path, kind, status, delay, probability, times }: Record<Name, string>) => ({
  path: path || undefined,
  kind,
  status: kind === "error" ? numberOrText(status) : undefined,
  delay: kind === "delay" ? delay : undefined,
  probability: numberOrText(probability),
  times: numberOrText(times),
});
