import type { Severity } from "../kinds.ts";
import type { Results } from "./results.ts";

const COMMANDS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", note: "notice" };

/** Workflow commands of GitHub Actions: what happened, and each result, becomes an annotation. */
export function githubReport({ title, summary, found }: Results): string {
  const lines = found
    .filter(({ is }) => is !== "skipped")
    .map(({ rule, level, message, advice }) => {
      return `::${COMMANDS[level]} title=${property(`${title}: ${rule}`)}::${data(`${message}\n${advice}`)}\n`;
    });
  return [`::notice title=${property(title)}::${data(summary)}\n`, ...lines].join("");
}

/** Characters that end a message are escaped. */
const data = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const property = (text: string) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
