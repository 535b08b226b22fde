import { useSignal } from "@preact/signals";
import { loadForExport, MOST_EXPORTED } from "../loading.ts";
import { csvOf } from "../logic/csv.ts";
import { formatCount } from "../logic/format.ts";
import { totalItems } from "../state.ts";
import { after, saveFile } from "../system.ts";
import { FormProblem, useCall } from "./form.tsx";

const SAID_MS = 4000;

/** Downloads the filtered list as CSV, up to the bound of an export. */
export function ExportButton() {
  const call = useCall();
  const said = useSignal<string | null>(null);
  async function save() {
    await call.run(async () => {
      const transactions = await loadForExport();
      saveFile("momo-payments.csv", "text/csv;charset=utf-8", csvOf(transactions));
      const isAll = transactions.length < MOST_EXPORTED || totalItems.value === MOST_EXPORTED;
      said.value = `${isAll ? "" : "newest "}${formatCount(transactions.length)}`;
      after(SAID_MS, () => {
        said.value = null;
      });
    });
  }
  return (
    <>
      <button
        type="button"
        class="quiet export"
        disabled={call.isUnderWay}
        title={`Save what these filters select as a file, at most the newest ${formatCount(MOST_EXPORTED)}`}
        onClick={() => void save()}
      >
        <span aria-live="polite">{said.value === null ? "CSV" : `Saved ${said.value}`}</span>
      </button>
      <FormProblem problems={call.problems} />
    </>
  );
}
