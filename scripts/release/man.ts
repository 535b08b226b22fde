import { run } from "./run.ts";

/**
 * The manual page of momo, made of what `--help` says of each command.
 * @param momo an executable that runs here
 */
export async function manPage(momo: string, version: string): Promise<string> {
  const env = { COLUMNS: "78", NO_COLOR: "1" };
  const overview = await run([momo, "--help"], { env });
  const [names = ""] = overview.split("Commands:\n").slice(1);
  const commands = [...names.matchAll(/^ {2}([a-z]+)/gm)].map((match) => match[1] ?? "");
  const sections = await Promise.all(
    commands.map(async (name) => `.SS momo ${name}\n${verbatim(await run([momo, name, "--help"], { env }))}`),
  );
  return `.TH MOMO 1 "" "momo ${version}" "momo"
.SH NAME
momo \\- a mobile-money payment sandbox
.SH SYNOPSIS
.B momo
.I command
[options]
.SH DESCRIPTION
${verbatim(overview)}.SH COMMANDS
${sections.join("")}`;
}

/** Lines that man prints as they are. */
function verbatim(text: string): string {
  const lines = text.trimEnd().replaceAll("\\", "\\e").replaceAll("-", "\\-").split("\n");
  // A line that begins with a dot or an apostrophe would be a request.
  return `.nf\n${lines.map((line) => line.replace(/^[.']/, "\\&$&")).join("\n")}\n.fi\n`;
}
