/**
 * Runs a program to its end.
 * @returns what it wrote to standard output
 * @throws Error with its exit code and what it wrote to standard error, where it failed
 */
export async function run(
  command: string[],
  { cwd, env }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const child = Bun.spawn(command, {
    stdout: "pipe",
    stderr: "pipe",
    stdin: "ignore",
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
  });
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}:\n${errors}${output}`);
  return output;
}
