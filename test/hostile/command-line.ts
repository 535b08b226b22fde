import { expect } from "bun:test";
import { newFolder } from "../support/cleanup.ts";
import { runMomo, type Served, startMomo } from "../support/momo.ts";
import { drawFrom } from "../support/random.ts";
import { PATIENCE_MS } from "../support/time-outs.ts";
import type { Runs } from "./requests.ts";

/** Command lines that are right but for one value. */

interface Invocation {
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** The flag or variable that has the value. */
  readonly culprit: string;
}

/** What scripts, mistakes and people with bad intentions put where a value belongs. */
const VALUES: readonly string[] = [
  ...["", " ", "-", "--", "0", "-1", "1.5", "1e9", "0x10", "NaN", "true", "99999999999999999999", "1,000", "٣"],
  ...["../../../dev/null/passwd", "/dev/null", "/dev/zero", "/proc/self/mem", "~", "*", "C:\\", "file:///etc/passwd"],
  ...[
    "http://",
    "http://[::1",
    "http://127.0.0.1:99999/v2",
    "http://127.0.0.1:1/v2",
    "http://a b/",
    "//x",
    "::",
    "localhost:1",
  ],
  ...[
    "'; DROP TABLE transactions; --",
    "$(id)",
    "%s%n",
    "%00",
    "{}",
    "[1]",
    "null",
    "\n",
    "a\r\nX-Evil: 1",
    "\u001b[31mred",
  ],
  ...["\u202Eesrever", "💥".repeat(50), "a".repeat(5000), "completed; after=1s", "__proto__", "constructor"],
];

const VARIABLES = [
  ...["MOMO_BASE_URL", "MOMO_API_KEY", "MOMO_API_SECRET", "MOMO_PAYMENT_ACCOUNT_ID", "MOMO_CONTROL_URL"],
  ...["MOMO_CONTROL_TOKEN", "MOMO_DATA", "XDG_DATA_HOME", "HOME", "NO_PROXY", "TERM", "TMPDIR"],
];

/** Of nobody: a key never goes with the secret of another, so that one alone is refused for want of the other. */
const SECRET = { MOMO_API_SECRET: "ms_nobody" };

/** For each command that takes a value by a flag, what it needs to do its work on a running server; but `phone` needs a person. */
function commands({ at, ready }: Served): Record<string, readonly string[]> {
  const key = ["--api-key", ready.api_key, "--api-secret", ready.api_secret];
  return {
    serve: ["--ephemeral", "--port", "0"],
    exec: ["--", "true"],
    pay: ["0712345678", "1", ...at, ...key],
    status: ["ws_CO_nothing", ...at, ...key],
    list: [...at, ...key],
    answer: ["ws_CO_nothing", "--pin", "1234", ...at],
    "merchants create": ["--name", "Duka", ...at],
    "merchants list": [...at],
    "accounts create": ["--name", "Till", ...at],
    "accounts list": [...at],
    "keys create": ["--label", "test", ...at],
    "keys list": [...at],
    "keys revoke": ["mk_nothing", ...at],
    "clock show": [...at],
    "rules add": ["cancelled", ...at],
    "faults add": ["error", ...at],
    "default set": ["cancelled", ...at],
    open: ["--print", ...at],
    "clock advance": ["1ms", ...at],
    env: [...at, ...key],
    doctor: [...at],
    reset: [...at],
    export: ["copy.db", ...at],
    import: ["-"],
  };
}

/** What momo refuses to do to a device is not tried on one that the whole machine needs. */
const isWrittenTo = (flag: string, value: string) => flag === "--ready-file" && value.startsWith("/dev/");

/** Every flag of these commands, as its help names them, and every variable, with every value. */
async function invocations(server: Served): Promise<Invocation[]> {
  const all = await Promise.all(
    Object.entries(commands(server)).map(async ([name, rest]) => {
      const words = name.split(" ");
      const { stdout: help } = await runMomo([...words, "--help"]);
      const flags = [...help.matchAll(/^ +(?:-\w, )?(--[a-z-]+) [<[]/gm)].map(([, flag = ""]) => flag);
      expect(flags.length, name).toBeGreaterThan(0);
      return VALUES.flatMap((value) => [
        ...flags
          .filter((flag) => !isWrittenTo(flag, value))
          .map((flag) => ({ args: [...words, `${flag}=${value}`, ...rest], env: {}, culprit: flag })),
        ...VARIABLES.map((variable) => ({
          args: [...words, ...rest],
          // A server takes its first key from both variables, so that one alone is refused whatever else is wrong.
          env: { ...(name !== "serve" && SECRET), [variable]: value },
          culprit: variable,
        })),
      ]);
    }),
  );
  return all.flat();
}

/** So many of them, drawn: the same ones for the same seed. */
export async function anyValues(server: Served, { numRuns, seed }: Runs): Promise<void> {
  const all = await invocations(server);
  const draw = drawFrom(seed);
  let left = numRuns;
  const worker = async () => {
    while (left-- > 0) await expectPlainEnd(all[draw(all.length)] as Invocation);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const AT_ONCE = 4;

/** Of the table in docs/cli.md, and of a program that serves and was ended. */
const EXIT_CODES = [0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 126, 127];
const ENDED = 137;

/** It does its work, or says in one line what is wrong and in another what to do; a usage error names its flag. */
async function expectPlainEnd({ args, env, culprit }: Invocation): Promise<void> {
  const child = startMomo(args, { env, cwd: newFolder() });
  const late = setTimeout(() => child.signal("SIGKILL"), PATIENCE_MS);
  if (args[0] === "serve")
    void child.stdout.until(/Ready/).then(
      () => child.signal("SIGKILL"),
      () => {},
    );
  const exitCode = await child.exited;
  clearTimeout(late);
  const { text } = child.stderr;
  const what = `${culprit}: ${JSON.stringify(args)} ${JSON.stringify(env)} → ${exitCode}\n${child.stdout.text.slice(0, 300)}${text}`;
  const isEnded = exitCode === ENDED && child.stdout.text.includes("Ready");
  if (!isEnded) expect(EXIT_CODES, what).toContain(exitCode);
  expect(text, what).not.toMatch(/^\s+at |\.ts:|\$bunfs|node_modules|TypeError|SQLiteError|\bundefined\b|\[object/m);
  expect(text, what).not.toContain("\u001b");
  expect(text.trimEnd().split("\n").length, what).toBeLessThanOrEqual(2);
  if (exitCode !== 0 && !isEnded && args[0] !== "doctor") expect(text, what).toStartWith("momo: ");
  if (exitCode === 2) expect(text, what).toContain(culprit);
}
