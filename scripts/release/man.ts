import { helpPages } from "../../cli/run.ts";

/** Makes the manual page of momo from the help of each command. */
export async function manPage(version: string): Promise<string> {
  const [overview, ...commands] = await helpPages(version);
  const sections = commands.map(({ name, text }) => `.SS ${name}\n${verbatim(text)}`);
  return `.TH MOMO 1 "" "momo ${version}" "momo"
.SH NAME
momo \\- a mobile-money payment sandbox
.SH SYNOPSIS
.B momo
.I command
[options]
.SH DESCRIPTION
${verbatim(overview?.text ?? "")}.SH COMMANDS
${sections.join("")}`;
}

/** Lines that man prints as they are. */
function verbatim(text: string): string {
  const lines = text.trimEnd().replaceAll("\\", "\\e").replaceAll("-", "\\-").split("\n");
  // At the start of a line, a dot or an apostrophe would begin a request of roff.
  return `.nf\n${lines.map((line) => line.replace(/^[.']/, "\\&$&")).join("\n")}\n.fi\n`;
}
