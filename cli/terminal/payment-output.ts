import type { Answer } from "../client/client.ts";
import { Failure } from "./failure.ts";
import { type OutputOptions, print, printFields, printJson, styled } from "./output.ts";
import { isTerminal } from "./standard-output.ts";

/** Members that say the same as another line, or nothing to a person. */
const UNSHOWN = new Set(["success", "message", "status"]);

/**
 * Prints what the service said of one payment: for people on a terminal, as the JSON that came elsewhere or where it is asked
 * for, or one value.
 * @param essential the member that `-q` prints
 */
export function printPayment(answer: Answer, options: OutputOptions, essential: string): void {
  const value = answer[essential];
  if (typeof value !== "string") throw new Failure("unexpected", `the service answered without a ${essential}`);
  if (options.quiet) {
    print(value);
    return;
  }
  if (options.json || !isTerminal()) {
    printJson(answer);
    return;
  }
  const style = answer.status === "completed" ? "green" : answer.status === "pending" ? "yellow" : "red";
  if (answer.status !== undefined) print(styled(style, String(answer.status)));
  printFields(
    Object.entries(answer)
      .filter(([name, value]) => value !== null && !UNSHOWN.has(name))
      .map(([name, value]) => [name.replaceAll("_", " "), String(value)]),
  );
}
