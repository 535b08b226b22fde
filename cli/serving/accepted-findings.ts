import type { Accepts } from "../../sandbox/audit/judge.ts";
import { KIND_NAMES } from "../../sandbox/audit/rules.ts";
import { fits } from "../../sandbox/network/rule-match.ts";
import { shown } from "../../src/domain/error.ts";
import { redact } from "../../src/domain/redact.ts";
import { visible } from "../../src/domain/visible.ts";
import { cannotRead, readTextFile } from "../files/files.ts";
import type { Io } from "../io.ts";
import { Failure } from "../terminal/failure.ts";

/**
 * Reads the file of the findings that are known and accepted: a line for each kind, or for a kind and a reference after it, as the
 * report shows it; `ORDER-1*` is each with that beginning. Empty lines are left out, and comments: `# ` at the beginning, or behind the
 * kind. A line for what is not found does no harm.
 * @throws Failure `usage` for a file that cannot be read, and for a kind that does not exist
 */
export function readAccepted(io: Io, file: string): Accepts {
  const name = `--audit-accept ${file}`;
  const accepted: { readonly kind: string; readonly reference: string | undefined }[] = [];
  for (const [index, line] of linesOf(io.resolvePath(file), name).entries()) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const [kind = ""] = text.split(/\s/, 1);
    if (!KIND_NAMES.some((one) => one === kind)) throw unknownKind(`${name}, line ${index + 1}`, kind);
    const rest = text.slice(kind.length).trim();
    accepted.push({ kind, reference: rest.startsWith("# ") || rest === "" ? undefined : rest });
  }
  return (kind, reference) => {
    const shownReference = reference === null ? "" : visible(redact(reference)).trim();
    return accepted.some((one) => one.kind === kind && fits(one.reference, shownReference));
  };
}

function linesOf(file: string, name: string): string[] {
  try {
    return readTextFile(file).split("\n");
  } catch (error) {
    throw cannotRead(name, error, "usage");
  }
}

const unknownKind = (place: string, kind: string): Failure =>
  new Failure(
    "usage",
    `${place}: there is no finding ${shown(kind)}`,
    `a line has one of ${KIND_NAMES.join(", ")}, and perhaps a reference after it`,
  );
