import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../api.ts";
import { momoLine } from "../logic/commands.ts";
import { findings } from "../state.ts";
import { CodeBlock } from "./code-block.tsx";
import { CommandLines } from "./commands.tsx";
import { FormProblem, useCall } from "./form.tsx";

const FORMATS = ["text", "junit", "sarif", "github", "json"] as const;
type Format = (typeof FORMATS)[number];

/** The report that CI gets, as text to copy. */
export function AuditReport() {
  const call = useCall([]);
  const format = useSignal<Format>("text");
  const report = useSignal<string | null>(null);
  const path = `/audit?format=${format.value}`;
  useEffect(() => {
    // Load the report again only if it is open.
    if (report.value !== null) void show();
  }, [format.value, findings.value]);

  const show = () =>
    call.run(async () => {
      report.value = await api.text(path);
    });
  return (
    <section class="card wide-card" aria-label="Report">
      <h2>The report that CI gets</h2>
      <div class="row">
        <div class="field">
          <label for="report-format">Format</label>
          <select
            id="report-format"
            value={format.value}
            onChange={(event) => {
              format.value = event.currentTarget.value as Format;
            }}
          >
            {FORMATS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <button type="button" onClick={() => void show()}>
          Show the report
        </button>
      </div>
      <FormProblem problems={call.problems} />
      {report.value !== null && <CodeBlock text={report.value} what="the report" />}
      <CommandLines command={{ method: "GET", path, momo: momoLine(["audit"], { "--format": format.value }) }} />
    </section>
  );
}
