import { expect } from "bun:test";
import type { Run } from "./momo.ts";

/** One line that says what is wrong and names it, one that names the flag that helps. */
export function expectRefusal({ stdout, stderr, exitCode }: Run, named: string, flag: string): void {
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  const [what = "", help = "", ...rest] = stderr.trimEnd().split("\n");
  expect(what).toStartWith("momo: ");
  expect(what).toContain(named);
  expect(help).toContain(flag);
  expect(rest).toEqual([]);
}
