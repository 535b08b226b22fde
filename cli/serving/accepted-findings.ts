import { readFileSync } from "node:fs";
import type { Accepts } from "../../sandbox/audit/judge.ts";
import { KIND_NAMES } from "../../sandbox/audit/rules.ts";
import { shown } from "../../src/domain/error.ts";
import { Failure } from "../terminal/failure.ts";
import { cannotRead } from "./files.ts";

/**
 * Reads the file of the findings that are known and accepted: a line for each kind, or for a kind and a reference after it. Empty
 * lines and lines that begin with # are comments.
 * @throws Failure `usage` for a kind that does not exist
 */
export function readAccepted(file: string): Accepts {
  const kinds = new Set<string>();
  const ofReference = new Map<string, Set<string>>();
  for (const [index, line] of linesOf(file).entries()) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const [kind = "", ...rest] = text.split(/\s+/, 2);
    if (!KIND_NAMES.some((name) => name === kind)) throw unknownKind(file, index + 1, kind);
    const reference = rest.length === 0 ? null : text.slice(kind.length).trim();
    if (reference === null) kinds.add(kind);
    else ofReference.set(kind, (ofReference.get(kind) ?? new Set()).add(reference));
  }
  return (kind, reference) => kinds.has(kind) || (reference !== null && ofReference.get(kind)?.has(reference) === true);
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch (error) {
    throw cannotRead(file, error);
  }
}

const unknownKind = (file: string, line: number, kind: string): Failure =>
  new Failure(
    "usage",
    `${file}, line ${line}: there is no finding ${shown(kind)}`,
    `a line has one of ${KIND_NAMES.join(", ")}, and perhaps a reference after it`,
  );
