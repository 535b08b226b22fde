import { useSignal } from "@preact/signals";
import { api } from "../api.ts";
import { counted } from "../logic/in-force.ts";
import { faultInWords } from "../logic/steering-words.ts";
import { faults } from "../state.ts";
import { type Command, CommandLines, ControlGroup } from "./commands.tsx";
import { Field, FormProblem, numberOrText, submits, useCall } from "./form.tsx";
import { RemovableList } from "./removable-list.tsx";
import { TextField } from "./text-field.tsx";
import { UndoLine, useUndo } from "./undo.tsx";

const PATHS = ["/stkpush.php", "/status.php", "/transactions.php"];
const KINDS = { error: "an error", delay: "a delay", disconnect: "the answer is lost" } as const;
const MEMBERS = ["path", "kind", "status", "delay", "probability", "times", "seed"] as const;
type Draft = Readonly<Record<(typeof MEMBERS)[number], string>>;

const EMPTY: Draft = {
  path: "/status.php",
  kind: "error",
  status: "503",
  delay: "5s",
  probability: "",
  times: "",
  seed: "",
};

const LABELS: Readonly<Record<keyof Draft, string>> = {
  path: "Operation",
  kind: "What happens",
  status: "HTTP status",
  delay: "Delay",
  probability: "Probability",
  times: "Times",
  seed: "Seed",
};

/** The faults of the merchant API. */
export function FaultsCard() {
  const call = useCall(MEMBERS);
  const draft = useSignal(EMPTY);
  const { seed, faults: inForce } = faults.value;
  const body = {
    ...(draft.value.seed !== "" && { seed: numberOrText(draft.value.seed) }),
    faults: [...inForce, faultOf(draft.value)],
  };
  const undo = useUndo();
  const put = (next: readonly unknown[]) =>
    call.run(() => (next.length === 0 ? api.delete("/faults") : api.put("/faults", { seed, faults: next })));
  async function replace(next: readonly unknown[]) {
    const words = `${counted(inForce.length - next.length, "fault")} removed.`;
    if (await put(next)) undo.offer(words, () => void put(inForce));
  }

  async function submit() {
    if (await call.run(() => api.put("/faults", body))) draft.value = EMPTY;
  }
  const set = (name: keyof Draft) => (text: string) => {
    draft.value = { ...draft.value, [name]: text };
  };
  const fieldOf = (name: keyof Draft) => ({ form: "fault", name, label: LABELS[name], problems: call.problems });
  function input(name: keyof Draft, placeholder: string, size: number) {
    const field = fieldOf(name);
    return <TextField {...field} placeholder={placeholder} size={size} value={draft.value[name]} onText={set(name)} />;
  }
  function select(name: keyof Draft, options: Readonly<Record<string, string>>) {
    return (
      <Field {...fieldOf(name)}>
        {(facts) => (
          <select {...facts} value={draft.value[name]} onChange={(event) => set(name)(event.currentTarget.value)}>
            {Object.entries(options).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
    );
  }
  return (
    <section class="card wide-card" aria-label="Faults">
      <h2>
        Faults <span class="count">{inForce.length}</span>
      </h2>
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
      <form class="row" onSubmit={submits(submit)}>
        {select("path", { "": "any", ...Object.fromEntries(PATHS.map((path) => [path, path])) })}
        {select("kind", KINDS)}
        {draft.value.kind === "error" && input("status", "500", 5)}
        {draft.value.kind === "delay" && input("delay", "5s", 5)}
        {input("probability", "1", 5)}
        {input("times", "always", 6)}
        {input("seed", "drawn", 8)}
        <button type="submit">Add fault</button>
      </form>
      <FormProblem problems={call.problems} />
      <CommandLines command={{ method: "PUT", path: "/faults", body, momo: null }} />
      {inForce.length > 0 && (
        <ControlGroup
          controls={[
            {
              label: "Remove all",
              run: () => void replace([]),
              command: replacement(seed, []),
            },
          ]}
        />
      )}
    </section>
  );
}

/** The call that replaces all faults by these. */
function replacement(seed: number, next: readonly unknown[]): Command {
  return next.length === 0
    ? { method: "DELETE", path: "/faults", momo: null }
    : { method: "PUT", path: "/faults", body: { seed, faults: next }, momo: null };
}

function faultOf({ path, kind, status, delay, probability, times }: Draft) {
  return {
    ...(path !== "" && { path }),
    kind,
    ...(kind === "error" && status !== "" && { status: numberOrText(status) }),
    ...(kind === "delay" && { delay }),
    ...(probability !== "" && { probability: numberOrText(probability) }),
    ...(times !== "" && { times: numberOrText(times) }),
  };
}
