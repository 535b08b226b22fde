import { afterAll, expect, test } from "bun:test";
import { helpPages } from "../../cli/run.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { TestIo } from "../support/io.ts";
import { type Served, serveMomo, startMomo } from "../support/momo.ts";
import { drawFrom, SEED, TIMES } from "../support/random.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

afterAll(cleanUp);

/** Command lines that are right but for one value. */

interface Invocation {
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** The flag or variable that has the value. */
  readonly culprit: string;
}

/** What scripts, mistakes and attackers put where a value belongs. */
const VALUES: readonly string[] = [
  ...["", " ", "-", "--", "0", "-1", "1.5", "1e9", "0x10", "NaN", "true", "99999999999999999999", "1,000", "٣"],
  ...["../../../dev/null/passwd", "/dev/null", "/dev/zero", "/proc/self/mem", "~", "*", "C:\\", "file:///etc/passwd"],
  ...["http://", "http://[::1", "http://127.0.0.1:99999/v2", "http://127.0.0.1:1/v2", "http://a b/", "//x", "::"],
  ...["localhost:1", "'; DROP TABLE transactions; --", "$(id)", "%s%n", "%00", "{}", "[1]", "null", "\n"],
  ...["a\r\nX-Evil: 1", "\u001b[31mred"],
  ...["\u202Eesrever", "💥".repeat(50), "a".repeat(5000), "completed; after=1s", "__proto__", "constructor"],
];

const VARIABLES = [
  ...["MOMO_BASE_URL", "MOMO_API_KEY", "MOMO_API_SECRET", "MOMO_PAYMENT_ACCOUNT_ID", "MOMO_CONTROL_URL"],
  ...["MOMO_CONTROL_TOKEN", "MOMO_DATA", "XDG_DATA_HOME", "HOME", "NO_PROXY", "TERM", "TMPDIR"],
];

/** A key from one place never goes with a secret from another, so a key alone would be refused because its secret is missing. */
const SECRET = { MOMO_API_SECRET: "ms_nobody" };

/** Each command with a flag that takes a value, and the words it needs to succeed. `phone` is left out: it needs a person. */
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

/** Not tried: a bug could replace a device that the whole machine needs. */
const isWrittenTo = (flag: string, value: string) => flag === "--ready-file" && value.startsWith("/dev/");

/** Every flag of these commands, as its help names them, and every variable, with every value. */
async function invocations(server: Served): Promise<Invocation[]> {
  const pages = await helpPages(new TestIo(), "1.0.0");
  return Object.entries(commands(server)).flatMap(([name, rest]) => {
    const words = name.split(" ");
    const help = pages.find((page) => page.name === `momo ${name}`)?.text ?? "";
    const flags = [...help.matchAll(/^ +(?:-\w, )?(--[a-z-]+) [<[]/gm)].map(([, flag = ""]) => flag);
    expect(flags.length, name).toBeGreaterThan(0);
    // A server takes its first key from both variables, so that one alone is refused whatever else is wrong.
    const secret = name === "serve" ? {} : SECRET;
    return VALUES.flatMap((value) => [
      ...flags
        .filter((flag) => !isWrittenTo(flag, value))
        .map((flag) => ({ args: [...words, `${flag}=${value}`, ...rest], env: {}, culprit: flag })),
      ...VARIABLES.map((variable) => ({
        args: [...words, ...rest],
        env: { ...secret, [variable]: value },
        culprit: variable,
      })),
    ]);
  });
}

test("any value in any flag and variable: never a stack trace, an exit code of the table, and the flag's name", async () => {
  const all = await invocations(await serveMomo());
  const draw = drawFrom(SEED);
  const work = Array.from({ length: 24 * TIMES }, () => all[draw(all.length)] as Invocation);
  const worker = async () => {
    for (let next = work.pop(); next; next = work.pop()) await expectPlainEnd(next);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
});

/** The table in docs/cli.md, and a server that the test killed. */
const EXIT_CODES = [0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 126, 127];
const ENDED = 137;
const INTERNALS = /^\s+at |\.ts:|\$bunfs|node_modules|TypeError|SQLiteError|\bundefined\b|\[object/m;

/** It succeeds, or one line says what is wrong and another what to do. A usage error names its flag or variable. */
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
  expect(text, what).not.toMatch(INTERNALS);
  expect(text, what).not.toContain("\u001b");
  expect(text.trimEnd().split("\n").length, what).toBeLessThanOrEqual(2);
  if (exitCode !== 0 && !isEnded && args[0] !== "doctor") expect(text, what).toStartWith("momo: ");
  if (exitCode === 2) expect(text, what).toContain(culprit);
}
