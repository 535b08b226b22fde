import { existsSync, statSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { Option } from "commander";
import type { AuditReport } from "../../sandbox/audit/audit.ts";
import { findingLines, formatReport, summaryOf } from "../../sandbox/audit/report.ts";
import { isAtLeast, SEVERITIES, type Severity } from "../../sandbox/audit/severity.ts";
import { requestView } from "../../sandbox/control/views.ts";
import { quoted } from "../../sandbox/curl.ts";
import type { LogListener } from "../../sandbox/request-log.ts";
import { counted } from "../../src/domain/counted.ts";
import { jsonText } from "../../src/domain/visible.ts";
import { causeOf } from "../../src/store/causes.ts";
import { systemClock, systemRandom } from "../../src/system.ts";
import { type PrivateSandbox, startPrivateSandbox } from "../client/private-sandbox.ts";
import { variablesOf } from "../client/target.ts";
import { type Lines, NamedFile, requireDifferent } from "../files/named-files.ts";
import { readHosts } from "../intercept/hosts.ts";
import type { Interception } from "../intercept/intercept.ts";
import type { Io } from "../io.ts";
import { reapOrphans } from "../libc.ts";
import { readAccepted } from "../serving/accepted-findings.ts";
import { addSandboxOptions, configOf, type SandboxFlags } from "../serving/sandbox-flags.ts";
import { Command } from "../terminal/command.ts";
import { EXIT, Failure, toFailure } from "../terminal/failure.ts";
import { must, readAccountId, readOnePath, readPath, readPaths } from "../terminal/options.ts";
import { shownFailure } from "../terminal/output.ts";
import { ignoredAtStart, PASSED_ON } from "../terminal/signals.ts";
import { failedReport, formatOfFile, type Report, withReports, writeAtTheEnd } from "./reports.ts";

export function execCommand(io: Io): Command {
  const command = new Command("exec")
    .argument("<command...>", "after --, with its own arguments")
    .passThroughOptions()
    .addOption(
      new Option(
        "--audit [severity]",
        "end with 7 if the command succeeds, but its client makes a mistake of this severity or worse",
      )
        .choices(SEVERITIES)
        .argParser(must(SEVERITY_RULE, (text) => SEVERITIES.some((severity) => severity === text)))
        .preset("error"),
    )
    .option("--audit-report <file>", "write its mistakes as JUnit (.xml), .json or .txt; may be given again", readPaths)
    .option("--audit-accept <file>", "a file of kinds, or kinds and references, that are known and accepted", readPath)
    .option("--log-file <file>", "write the requests and their answers as lines of JSON, without secrets", readOnePath)
    .option("-q, --quiet", "with --audit: print nothing if nothing is wrong")
    .option("--intercept <hosts>", "answer the command's requests to https://HOST/... with the sandbox", readHosts)
    .option("--account <id>", "the id of the sandbox's payment account (default: 1)", readAccountId);
  return addSandboxOptions(command).action((words: string[], flags: ExecFlags) => exec(io, words, flags));
}

/** Without `--`, the first word of the command is taken for the severity. */
const SEVERITY_RULE = `be one of ${SEVERITIES.join(", ")}, or have -- after it (PowerShell: with momo.cmd, because momo.ps1 drops it)`;

interface ExecFlags extends SandboxFlags {
  readonly intercept?: readonly string[];
  readonly account?: number;
  readonly audit?: Severity;
  readonly auditReport?: readonly string[];
  readonly auditAccept?: string;
  readonly logFile?: string;
  readonly quiet?: boolean;
}

/** A terminal sends these to the command, too. If we passed them on, the command would get them twice. */
const SENT_TO_BOTH: ReadonlySet<string> = new Set(process.stdin.isTTY ? ["SIGINT", "SIGQUIT"] : []);

async function exec(io: Io, command: string[], flags: ExecFlags): Promise<void> {
  requireAudit(flags);
  const { audits, log, files, reports } = filesOf(io, flags);
  await withReports(reports, async () => {
    for (const file of files) file.requireWritable();
    let lines: Lines | null = null;
    const onRequest: LogListener = (_answered, request) => lines?.add(jsonText(requestView(request)));
    const config = {
      ...(await configOf(io, flags)),
      accountId: flags.account,
      ...(log && { onRequest }),
      opensAccounts: flags.intercept !== undefined,
      acceptsFinding: flags.auditAccept === undefined ? undefined : readAccepted(io, flags.auditAccept),
    };
    const outerUmask = process.umask(0o077); // for our files; the command keeps its own
    const passSignalsTo = catchSignals();
    let interception: Interception | null = null;
    const sandbox = await startPrivateSandbox(io, config);
    try {
      interception = await startIntercept(io, flags, sandbox);
      lines = log?.openLines() ?? null;
      process.umask(outerUmask);
      const variables = {
        ...variablesOf(sandbox.target),
        ...interception?.variables,
        MOMO_DATA: sandbox.directory.path,
      };
      const child = await startCommand(command, io.environment.forChild(variables)).catch((error: unknown) => {
        lines?.add(lineOfFailure(toFailure(error)));
        throw error;
      });
      process.umask(0o077);
      passSignalsTo(child);
      const ended = new AbortController();
      void reapOrphans(child.pid, ended.signal);
      const exitCode = await child.exited;
      ended.abort();
      // The code of shells: 128 and the number of the signal.
      io.exitCode =
        child.signalCode === null ? exitCode : 128 + (constants.signals[child.signalCode as NodeJS.Signals] ?? 0);
      warnOfSilentHosts(io, interception);
      if (flags.audit !== undefined || audits.length > 0) {
        const found = await sandbox.finishAudit(interception?.silentHosts());
        if (child.signalCode !== null && found.findings.length > 0)
          io.tell(`momo: ${child.signalCode} ended the command: what it had not done yet looks like a mistake`);
        tellAudit(io, found, flags);
        for (const { file, format } of audits) writeAtTheEnd(io, file, formatReport(found, format, flags.audit));
      }
    } finally {
      await interception?.stop();
      await sandbox.stop();
      const problem = lines?.close();
      if (problem) io.tellFailure(problem, false);
    }
  });
}

/** The files that the flags name for writing. @throws Failure `usage` for one that stands twice, or that is read, too */
function filesOf(io: Io, flags: ExecFlags) {
  const { auditReport = [], logFile, rules, profile, auditAccept } = flags;
  const audits = auditReport.map((path) => ({
    format: formatOfFile(path),
    file: new NamedFile(io, "--audit-report", path),
  }));
  const log = logFile === undefined ? null : new NamedFile(io, "--log-file", logFile);
  const files = audits.map(({ file }) => file);
  const reports: Report[] = audits.map(({ file, format }) => ({
    file,
    ofFailure: (failure) => failedReport("momo audit", format, failure),
  }));
  if (log) {
    files.push(log);
    reports.push({ file: log, ofFailure: (failure) => `${lineOfFailure(failure)}\n` });
  }
  requireDifferent(io, files, { "--rules": rules, "--profile": profile, "--audit-accept": auditAccept });
  return { audits, log, files, reports };
}

/** @throws Failure `usage` for accepted findings of an audit that nobody asked for */
function requireAudit({ audit, auditReport, auditAccept }: ExecFlags): void {
  if (auditAccept === undefined || audit !== undefined || auditReport !== undefined) return;
  throw new Failure("usage", "--audit-accept has no meaning without the audit", "add --audit or --audit-report FILE");
}

/** The same member as in the lines on stderr, in the form of the log. */
const lineOfFailure = (failure: Failure): string => jsonText({ error: shownFailure(failure) });

/** The interception is loaded only with --intercept. Loading it takes 10 of the 69 ms of `momo exec`. */
async function startIntercept(
  io: Io,
  { intercept }: ExecFlags,
  { handleApi, credentials, directory }: PrivateSandbox,
): Promise<Interception | null> {
  if (intercept === undefined) return null;
  const { startInterception } = await import("../intercept/intercept.ts");
  return startInterception({
    hosts: intercept,
    handleApi,
    credentials,
    folder: join(directory.path, "intercept"),
    clock: systemClock,
    random: systemRandom,
    out: io,
  });
}

/** A program that the environment does not reach has talked to the real service, and all else looks well. */
function warnOfSilentHosts(io: Io, interception: Interception | null): void {
  const hosts = interception?.silentHosts() ?? [];
  if (hosts.length === 0) return;
  io.tell(`momo: no request of the command reached ${hosts.join(" or ")} here; momo help intercept has the causes`);
}

/** Reports what the command did, and did wrong. If the command failed, its own exit code stays. */
function tellAudit(io: Io, report: AuditReport, { audit, quiet }: ExecFlags): void {
  if (audit === undefined) {
    if (report.findings.length > 0 && !quiet)
      io.tell(`momo audit: ${summaryOf(report)}; the exit code shows it with --audit only`);
    return;
  }
  if (io.environment.isGitHubActions()) {
    // GitHub reads an annotation only at the start of a line, and the command may have ended within one.
    if (!quiet || report.findings.length > 0) io.stderr.write(`\n${formatReport(report, "github")}`);
  } else {
    if (!quiet) io.tell(`momo audit: ${summaryOf(report)}`);
    for (const line of findingLines(report).slice(quiet ? 1 : 0)) io.tell(line);
  }
  const taken = report.tally.lenient_takes;
  if (taken > 0) {
    io.tell(
      `momo: ${counted(taken, "refused request")} would pass with --accept lenient; use it if you cannot change the program`,
    );
  }
  const isBad = report.findings.some(({ severity }) => isAtLeast(severity, audit));
  if (isBad && io.exitCode === EXIT.done) io.exitCode = EXIT.mistakes;
}

/**
 * Catches the signals from now on, so that our files are removed at the end.
 * @returns a function that passes them on to the command, also those that arrived before
 */
function catchSignals() {
  const early: NodeJS.Signals[] = [];
  let child: Pick<Bun.Subprocess, "kill"> | null = null;
  const receive = (signal: NodeJS.Signals) => {
    if (!child) early.push(signal);
    else if (!SENT_TO_BOTH.has(signal)) child.kill(signal);
  };
  for (const signal of PASSED_ON) if (!ignoredAtStart().has(signal)) process.on(signal, receive);
  return (command: Pick<Bun.Subprocess, "kill">): void => {
    child = command;
    for (const signal of early) command.kill(signal);
  };
}

/**
 * Starts the command of `momo exec`, as a shell does.
 * @throws Failure that says why it cannot be run
 */
async function startCommand(command: readonly string[], env: Record<string, string | undefined>) {
  const [name = "", ...args] = command;
  const start = (words: string[]) => Bun.spawn(words, { stdio: ["inherit", "inherit", "inherit"], env });
  const file = Bun.which(name, { PATH: env.PATH ?? "" });
  try {
    return start(file === null ? [...command] : ignoring([...command]));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const path = name.includes("/") ? name : file;
    if (path !== null && code === "ENOEXEC" && (await isText(path))) return start(["sh", path, ...args]);
    const reason = path !== null && existsSync(path) ? whyRefused(path, code) : null;
    if (reason === null && code === "ENOENT") {
      throw new Failure("command_missing", `${quoted(name)} is not a command that can be found`);
    }
    const cause = reason === null ? causeOf(error) : null;
    throw new Failure(
      "command_refused",
      `${name} cannot be run: ${reason === null ? (cause?.reason ?? code) : `it ${reason}`}`,
      cause?.remedy,
    );
  }
}

/** Why the system refuses a file that is there; null if the code says it better. */
function whyRefused(path: string, code: string): string | null {
  if (code === "ENOEXEC") return "is not an executable for this system and processor";
  if (code === "ENOENT") return "needs the program of its first line (#!), or a C library, that is not there";
  if (code !== "EACCES") return null;
  return statSync(path).isDirectory() ? "is a folder" : "may not be executed (chmod +x allows it)";
}

/** Shells read a file without `#!` as a script of `sh`, if its beginning is text. */
const isText = async (file: string): Promise<boolean> => !(await Bun.file(file).slice(0, 4096).bytes()).includes(0);

/** The runtime gives a child the default signals. Only a shell can ignore them for it again. */
function ignoring(words: string[]): string[] {
  const names = PASSED_ON.filter((signal) => ignoredAtStart().has(signal)).map((signal) => signal.slice("SIG".length));
  return names.length === 0 ? words : ["sh", "-c", `trap '' ${names.join(" ")}; exec "$@"`, "sh", ...words];
}
