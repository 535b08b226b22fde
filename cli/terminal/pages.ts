import { basename } from "node:path";
import agents from "../../docs/agents.md" with { type: "text" };
import api from "../../docs/api.md" with { type: "text" };
import audit from "../../docs/audit.md" with { type: "text" };
import cli from "../../docs/cli.md" with { type: "text" };
import console from "../../docs/console.md" with { type: "text" };
import phpTest from "../../docs/examples/CancelledTest.php" with { type: "text" };
import goTest from "../../docs/examples/cancelled_test.go" with { type: "text" };
import compose from "../../docs/examples/compose.yaml" with { type: "text" };
import pythonFixture from "../../docs/examples/conftest.py" with { type: "text" };
import github from "../../docs/examples/github-services.yaml" with { type: "text" };
import gitlab from "../../docs/examples/gitlab.yaml" with { type: "text" };
import phpSnapshot from "../../docs/examples/SnapshotTest.php" with { type: "text" };
import pythonTest from "../../docs/examples/test_cancelled.py" with { type: "text" };
import pythonSnapshot from "../../docs/examples/test_snapshot.py" with { type: "text" };
import testcontainers from "../../docs/examples/testcontainers.mjs" with { type: "text" };
import install from "../../docs/install.md" with { type: "text" };
import intercept from "../../docs/intercept.md" with { type: "text" };
import llms from "../../docs/llms.txt" with { type: "text" };
import alerts from "../../docs/monitoring/alerts.yml" with { type: "text" };
import dashboard from "../../docs/monitoring/dashboard.json" with { type: "text" };
import prometheus from "../../docs/monitoring/prometheus.yml" with { type: "text" };
import operations from "../../docs/operations.md" with { type: "text" };
import replicas from "../../docs/replicas.md" with { type: "text" };
import snapshots from "../../docs/snapshots.md" with { type: "text" };
import steering from "../../docs/steering.md" with { type: "text" };
import testing from "../../docs/testing.md" with { type: "text" };
import webhooks from "../../docs/webhooks.md" with { type: "text" };
import readme from "../../README.md" with { type: "text" };
import security from "../../SECURITY.md" with { type: "text" };
import { printLong, tableLines } from "./data.ts";
import { forPeople, inLocale, wrapped } from "./output.ts";
import { isTerminal, lineWidth, writeOut } from "./standard-output.ts";

/** What `momo help PAGE` prints. Only `momo help` loads them. Messages name pages, because an executable brings no other documents. */
const PAGES: Readonly<Record<string, unknown>> = {
  ...{ agents, api, audit, cli, console, install, intercept, "llms.txt": llms, operations, readme, replicas, security },
  ...{ snapshots, steering, testing, webhooks },
};

/** The files that the pages link, printed in the same way: `momo help conftest.py > conftest.py`. */
const FILES: Readonly<Record<string, unknown>> = {
  ...{ "conftest.py": pythonFixture, "test_cancelled.py": pythonTest, "CancelledTest.php": phpTest },
  ...{ "test_snapshot.py": pythonSnapshot, "SnapshotTest.php": phpSnapshot },
  ...{ "cancelled_test.go": goTest, "compose.yaml": compose, "github-services.yaml": github, "gitlab.yaml": gitlab },
  ...{ "testcontainers.mjs": testcontainers, "alerts.yml": alerts, "dashboard.json": dashboard },
  ...{ "prometheus.yml": prometheus },
};

export const PAGE_NAMES = Object.keys(PAGES);

export const isPage = (name: string): boolean => Object.hasOwn(PAGES, name) || Object.hasOwn(FILES, name);

/** Files are printed as they are. Pages name other pages by their commands; at a terminal, paragraphs have its width. */
export function printPage(name: string): void {
  const blocks = blocksOf(name);
  if (!isTerminal()) writeOut(pageText(name));
  else if (!isMarkdown(name)) printLong(forPeople(blocks.join(""), lineWidth()).split("\n"));
  else printLong(blocks.flatMap((block, index) => [...(index > 0 ? [""] : []), ...filled(block)]));
}

export const pageText = (name: string): string => `${blocksOf(name).join("\n\n")}\n`;

const isMarkdown = (name: string): boolean => Object.hasOwn(PAGES, name) && !name.endsWith(".txt");

const FENCE = "```";

/** Pictures and diagrams, which a terminal does not show. */
const PICTURE = /^<picture|^```mermaid|\.(?:svg|webp)\)/;

/** The paragraphs, lists, tables and code of a page; a file is one block. */
function blocksOf(name: string): string[] {
  const text = String(PAGES[name] ?? FILES[name]).trimEnd();
  if (!isMarkdown(name)) return [text];
  const parts = text.split(/^(```[\s\S]*?^```)$/m);
  return parts
    .flatMap((part) =>
      part.startsWith(FENCE) ? [part] : part.split(/\n{2,}/).map((block) => block.replace(/^\n/, "").trimEnd()),
    )
    .filter((block) => block !== "" && !PICTURE.test(block))
    .map((block) => (block.startsWith(FENCE) ? block : withoutLinks(block)));
}

/** Links in words, because the executable brings no files: the command for a page, and for all else the text of the link. */
function withoutLinks(block: string): string {
  return block.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words: string, target: string) => {
    if (target.startsWith("https:")) return `${words} (${target})`;
    const file = basename(target.split("#")[0] ?? "", ".md");
    const name = /^[A-Z]+$/.test(file) ? file.toLowerCase() : file;
    if (!isPage(name)) return words;
    return /^README$|^[\w./-]+\.\w+$/.test(words) ? `\`momo help ${name}\`` : `${words} (\`momo help ${name}\`)`;
  });
}

/** Each paragraph, item and table in lines that fit the terminal; code as it is. */
function filled(block: string): string[] {
  if (block.startsWith(FENCE)) return [inLocale(block)];
  if (/^ *\|/.test(block)) return filledTable(block);
  const lines = block.replaceAll(/\n(?! *(?:- |\d+\. )) */g, " ").split("\n");
  return lines.flatMap((line) => {
    const lead = /^ *(?:- |\d+\. )?/.exec(line)?.[0] ?? "";
    const [first = "", ...rest] = wrapped(inLocale(" ".repeat(lead.length) + line.slice(lead.length)), lineWidth());
    return [lead + first.slice(lead.length), ...rest];
  });
}

function filledTable(block: string): string[] {
  const cellsOf = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [names = [], _rule, ...rows] = block.split("\n").map(cellsOf);
  return tableLines(
    names.map((name, index) => ({ name, cell: (row: string[]) => row[index] ?? "" })),
    rows,
  );
}
