import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../api.ts";
import { momoWords } from "../logic/commands.ts";
import { findings } from "../state.ts";
import { Card } from "./card.tsx";
import { CodeBlock } from "./code-block.tsx";
import { CommandLines } from "./commands.tsx";
import { type Draft, FormProblem, useForm } from "./form.tsx";
import { Options } from "./options.tsx";

const FORMATS = ["text", "junit", "sarif", "github", "json"];

/** The report that CI gets, as text to copy. */
export function AuditReport() {
  const form = useForm("report", { format: "Format" }, useSignal<Draft<"format">>({}), { format: "text" });
  const report = useSignal<string | null>(null);
  const { format } = form.values;
  const path = `/audit?format=${format}`;
  useEffect(() => {
    // Load the report again only if it is open.
    if (report.value !== null) void show();
  }, [format, findings.value]);
  const show = () =>
    form.run(async () => {
      report.value = await api.text(path);
    });
  return (
    <Card title="The report that CI gets" label="Report" isWide>
      <div class="row">
        {form.select("format", <Options names={FORMATS} />)}
        <button type="button" onClick={() => void show()}>
          Show the report
        </button>
      </div>
      <FormProblem problems={form.problems} />
      {report.value !== null && <CodeBlock text={report.value} what="the report" />}
      <CommandLines command={{ method: "GET", path, momo: momoWords(["audit"], { "--format": format }) }} />
    </Card>
  );
}
