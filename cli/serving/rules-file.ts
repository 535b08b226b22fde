import type { Rule } from "../../sandbox/network/rules.ts";
import { Failure } from "../terminal/failure.ts";
import { readJsonFile } from "./small-files.ts";

/**
 * The rules in a file, in the form that the control API accepts.
 * @throws Failure `usage` that names the file and the place in it
 */
export async function readRulesFile(file: string): Promise<Rule[]> {
  // Loaded only with --rules: zod takes 6 ms of the start.
  const { parseRules } = await import("../../sandbox/control/rules.ts");
  try {
    const content = readJsonFile(file);
    if (content === undefined) throw new Error("there is no such file");
    return parseRules(content);
  } catch (error) {
    throw new Failure("usage", `--rules ${file}: ${reasonOf(error as NodeJS.ErrnoException)}`);
  }
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.syscall !== undefined) return `it cannot be read (${error.code})`;
  return error instanceof SyntaxError ? "it is not JSON: write one rule, or an array of them" : error.message;
}
