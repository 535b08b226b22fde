/** The processes that the benchmark started. They end with it. */
const running = new Set<Bun.Subprocess>();

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

interface StartOptions {
  readonly cwd: string;
  readonly stderr?: "inherit" | "ignore";
  readonly stdin?: "ignore" | "pipe";
}

/** Starts a process with only PATH of the caller's environment. */
export function start(command: readonly string[], { cwd, stderr = "inherit", stdin = "ignore" }: StartOptions) {
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: cwd },
    stdin,
    stdout: "pipe",
    stderr,
  });
  running.add(child);
  void child.exited.then(() => running.delete(child));
  return child;
}

/** Asks a process to end, and kills it if it does not. */
export async function stop(child: Bun.Subprocess): Promise<void> {
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 5000);
  await child.exited;
  clearTimeout(late);
}

/** The first line that a process prints. */
export async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  const reader = output.getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    text += new TextDecoder().decode(value);
    if (text.includes("\n")) break;
    if (done) throw new Error(`a process ended before it was ready: ${text}`);
  }
  reader.releaseLock();
  return text.slice(0, text.indexOf("\n"));
}

/** Runs a command to its end and returns what it printed. */
export async function run(command: readonly string[], cwd: string): Promise<string> {
  const child = start(command, { cwd });
  const text = await new Response(child.stdout).text();
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with exit code ${exitCode}: ${text}`);
  return text;
}
