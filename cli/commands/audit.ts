import { Option } from "commander";
import type { AuditReport } from "../../sandbox/audit/audit.ts";
import { formatReport, REPORT_FORMATS, type ReportFormat, summaryOf } from "../../sandbox/audit/report.ts";
import { isAtLeast, SEVERITIES, type Severity } from "../../sandbox/audit/severity.ts";
import { auditReport, auditTally } from "../../sandbox/control/shapes/audit.ts";
import { controlOf } from "../client/client.ts";
import type { Answer } from "../client/request.ts";
import type { ControlFlags } from "../client/target.ts";
import { NamedFile } from "../files/named-files.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import { printWhole } from "../terminal/data.ts";
import { EXIT, Failure } from "../terminal/failure.ts";
import { controlOptions, readPath, withOptions } from "../terminal/options.ts";
import { failedReport, type Report, usualFormat, withReports, writeAtTheEnd } from "./reports.ts";

interface AuditFlags extends ControlFlags {
  readonly format: ReportFormat;
  readonly json?: boolean;
  readonly output?: string;
  readonly failOn?: Severity;
  readonly over?: boolean;
  readonly forget?: boolean;
}

export function auditCommand(io: Io): Command {
  const command = new Command("audit")
    .addOption(new Option("--format <format>", "of the report").choices(REPORT_FORMATS).default("text"))
    .addOption(new Option("--json", "the same as --format json, failures included").conflicts("format"))
    .option("--output <file>", "write the report there", readPath)
    .addOption(
      new Option("--fail-on <severity>", "end with 7 if there is a finding of this severity or worse").choices(
        SEVERITIES,
      ),
    )
    .option("--over", "take the run as over: the client has not learned what it does not know by now")
    .addOption(
      new Option("--forget", "remove the findings and the counts").conflicts([
        "format",
        "json",
        "output",
        "failOn",
        "over",
      ]),
    );
  withOptions(command, ...controlOptions());
  return command.action((flags: AuditFlags) => audit(io, flags));
}

async function audit(io: Io, flags: AuditFlags): Promise<void> {
  const { failOn, output } = flags;
  const client = controlOf(io, flags);
  if (flags.forget) {
    io.tell((await client.delete("/audit")).message);
    return;
  }
  const format = flags.json ? "json" : flags.format;
  const file = output === undefined ? null : new NamedFile(io, "--output", output);
  const reports: Report[] = [];
  // The words of a failure are no content for a file of another form.
  if (file && output !== undefined && usualFormat(output) === format)
    reports.push({ file, ofFailure: (failure) => failedReport("momo audit", format, failure) });
  await withReports(reports, async () => {
    file?.requireWritable();
    const report = reportOf(await client.get("/audit", flags.over ? { whole: "true" } : {}));
    const text = formatReport(report, format, failOn);
    if (failOn && report.findings.some(({ severity }) => isAtLeast(severity, failOn))) io.exitCode = EXIT.mistakes;
    if (file) {
      writeAtTheEnd(io, file, text, flags.json);
      if (file.isWritten && !flags.json) io.tell(`wrote ${output}: ${summaryOf(report)}`);
    } else printWhole(io, text, format === "text");
  });
}

/** @throws Failure if another program answers, or another version */
function reportOf(answer: Answer): AuditReport {
  const { success, data } = auditReport.safeParse(answer);
  if (!success) throw new Failure("unexpected", "the sandbox answered without findings", "update momo, or the server");
  return {
    tally: auditTally.parse(data),
    findings: data.findings,
    accepted: data.accepted_findings,
    omitted: data.left_out,
  };
}
