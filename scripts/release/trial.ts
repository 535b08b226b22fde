import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { payment, withoutMomo } from "./run.ts";

/** What a newly installed momo must be able to do: serve, pay, cancel, list, and stop. */

export interface TrialOptions {
  /** An empty folder: the current folder, and that of the data. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How the server is stopped: by a signal, or by the end of its standard input if signals do not reach it. */
  readonly stop?: "SIGTERM" | "stdin";
  /** For each step. */
  readonly patienceMs?: number;
}

/**
 * @param momo the words that start momo: `["npx", "momo-sandbox"]`
 * @returns the names of the steps
 * @throws Error that names the step and its output
 */
export async function tryMomo(momo: readonly string[], version: string, options: TrialOptions): Promise<string[]> {
  const { folder, stop = "SIGTERM", patienceMs = 120_000 } = options;
  mkdirSync(folder, { recursive: true });
  const env = { ...withoutMomo(process.env), XDG_DATA_HOME: join(folder, "share"), ...options.env };
  const place = { cwd: folder, env, stdout: "pipe", stderr: "pipe", timeout: patienceMs * 5 } as const;
  const steps: string[] = [];
  async function step(name: string, work: () => Promise<unknown>): Promise<void> {
    await within(patienceMs, work()).catch((error: Error) => {
      throw new Error(`${name}: ${error.message}`);
    });
    steps.push(name);
  }
  async function ends(args: readonly string[], code: number): Promise<string> {
    const child = Bun.spawn([...momo, ...args], { ...place, stdin: "ignore" });
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    equal(`exit code ${await child.exited}`, `exit code ${code}`, errors || output);
    return output.trim();
  }

  await step("version", async () => equal(await ends(["--version"], 0), version));
  const serve = ["serve", "--data", "data", "--port", "0", "--json"];
  const withItsParent = stop === "stdin" ? ["--until-stdin-closes"] : [];
  const server = Bun.spawn([...momo, ...serve, ...withItsParent], { ...place, stdin: "pipe" });
  try {
    await step("serve", async () => {
      for await (const chunk of server.stdout) if (chunk.includes(LINE_END)) return;
      equal(`it ended with ${await server.exited}`, "the ready record", await new Response(server.stderr).text());
    });
    const pay = (outcome: "completed" | "cancelled") => [...payment(outcome), "--data", "data"];
    await step("pay", async () => equal(await ends(pay("completed"), 0), "completed"));
    await step("cancelled", async () => equal(await ends(pay("cancelled"), 11), "cancelled"));
    await step("list", async () => {
      const { transactions } = JSON.parse(await ends(["list", "--data", "data", "--json"], 0));
      equal(transactions.map(({ status }: { status: string }) => status).join(), "cancelled,completed");
    });
    await step("stop", async () => {
      if (stop === "stdin") await server.stdin.end();
      else server.kill(stop);
      equal(`exit code ${await server.exited}`, "exit code 0");
    });
  } finally {
    server.kill("SIGKILL");
  }
  return steps;
}

const LINE_END = 10;

async function within(patienceMs: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const alarm = setTimeout(() => late.reject(new Error(`nothing within ${patienceMs / 1000} s`)), patienceMs);
  await Promise.race([work, late.promise]).finally(() => clearTimeout(alarm));
}

/** @param output text whose last line gives the reason */
function equal(found: string, expected: string, output = ""): void {
  if (found === expected) return;
  const why = output.trim().split("\n").at(-1);
  throw new Error(`${found} instead of ${expected}${why ? ` (${why})` : ""}`);
}
