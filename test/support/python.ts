import { tmpdir } from "node:os";

let found: string | undefined;

/**
 * The interpreter that `python3` starts. `python3` can be a script that chooses a version, which takes more time than most programs
 * of the tests.
 */
export function python(): string {
  if (found !== undefined) return found;
  const { stdout } = Bun.spawnSync(["python3", "-c", "import sys; print(sys.executable)"], { cwd: tmpdir() });
  found = stdout.toString().trim();
  return found;
}
