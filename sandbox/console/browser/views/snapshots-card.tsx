import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../api.ts";
import { momoWords } from "../logic/commands.ts";
import { timeOfDay } from "../logic/format.ts";
import { counted } from "../logic/steering.ts";
import { isLoaded } from "../state.ts";
import type { Snapshot } from "../wire.ts";
import { Card } from "./card.tsx";
import { ConfirmButton } from "./dialog.tsx";
import { CallForm, useForm } from "./form.tsx";
import { lossInWords } from "./reset-card.tsx";

/** Saves the state under a name, and restores it. */
export function SnapshotsCard() {
  const snapshots = useSignal<readonly Snapshot[]>([]);
  const form = useForm("snapshot", { name: "Name" });
  const { name } = form.values;
  const load = async () => {
    snapshots.value = (await api.get<{ snapshots: Snapshot[] }>("/snapshots")).snapshots;
  };
  useEffect(() => {
    if (isLoaded.value) void form.run(load);
  }, [isLoaded.value]);
  const change = (method: string, path: string) =>
    void form.run(async () => {
      await api.call({ method, path, ...(method === "POST" && { body: {} }) });
      await load();
    });
  return (
    <Card title="Snapshots" count={snapshots.value.length} isWide>
      <p class="hint">
        Payments, rules, faults, default, webhook and clock under a name, until the server ends. Merchants, accounts and
        keys are not in it.
      </p>
      <ul class="entries">
        {snapshots.value.map(({ name: saved, transactions, at, frozen }) => (
          <li key={saved} class="line between">
            <span>
              <b>{saved}</b>: {counted(transactions, "payment")}, at {timeOfDay(at)}
              {frozen && ", frozen"}
            </span>
            <span class="row">
              <ConfirmButton
                id={`restore-${saved}`}
                label={`Restore ${saved} …`}
                question={`Restore “${saved}”?`}
                loss={`Lost for good: ${lossInWords()}. Back come ${counted(transactions, "payment")}, and the time ${at}.`}
                yes="Restore it"
                run={() => change("POST", `/snapshots/${saved}/restore`)}
              />
              <ConfirmButton
                id={`remove-${saved}`}
                label={`Remove ${saved} …`}
                question={`Remove “${saved}”?`}
                loss={`Lost for good: the snapshot with ${counted(transactions, "payment")}.`}
                yes="Remove it"
                run={() => change("DELETE", `/snapshots/${saved}`)}
              />
            </span>
          </li>
        ))}
      </ul>
      <CallForm
        form={form}
        command={{
          method: "PUT",
          path: `/snapshots/${encodeURIComponent(name)}`,
          body: {},
          momo: momoWords(["snapshot", "save", name]),
        }}
        action="Save"
        isIncomplete={name === ""}
        onDone={() => void load()}
      >
        {form.input("name", { placeholder: "prepared" })}
      </CallForm>
    </Card>
  );
}
