import { afterAll, describe, expect, test } from "bun:test";
import { helpPages } from "../../cli/run.ts";
import { cleanUp } from "../support/cleanup.ts";
import { failureOf, PROGRAM, runMomo, runToEnd, serveMomo } from "../support/momo.ts";
import { openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

const server = await serveMomo(["--outcome", "manual"]);
const momo = (...args: string[]) => runMomo([...args, ...server.at]);
const first = (await momo("pay", "0712345678", "100", "--reference", "tab\there", "-q")).stdout.trim();
const second = (await momo("pay", "0798765432", "99.50", "-q")).stdout.trim();

/** Each command that lists, and the name of its items in JSON. */
const LISTS: [args: string[], name: string][] = [
  [["list"], "transactions"],
  [["merchants", "list"], "merchants"],
  [["accounts", "list"], "accounts"],
  [["keys", "list"], "keys"],
  [["rules", "list"], "rules"],
  [["faults", "list"], "faults"],
  [["doctor", "--port", "0"], "findings"],
];
const RECORDS: string[][] = [
  ["status", first],
  ["clock", "show"],
  ["default", "show"],
];

describe("one rule for output: laid out at a terminal, JSON in a pipe, as --format says", () => {
  for (const [args, name] of LISTS) {
    test.concurrent(`momo ${args.join(" ")}: an object with its items under ${name}`, async () => {
      const [piped, asked, short, tsv] = await Promise.all([
        momo(...args),
        momo(...args, "--format", "json"),
        momo(...args, "--json"),
        momo(...args, "--format", "tsv"),
      ]);
      for (const { stdout } of [piped, asked, short]) expect(JSON.parse(stdout)[name]).toBeArray();
      const items = JSON.parse(piped.stdout)[name] as object[];
      const rows = tsv.stdout.trimEnd().split("\n").filter(Boolean);
      expect(rows).toHaveLength(items.length === 0 ? 0 : items.length + 1);
      if (items[0]) expect(rows[0]?.split("\t")).toEqual(expect.arrayContaining(Object.keys(items[0])));
    });
  }

  for (const args of RECORDS) {
    test.concurrent(`momo ${args[0]} …: JSON in a pipe, words at a terminal, tsv with the members' names`, async () => {
      const piped = await momo(...args);
      expect(JSON.parse(piped.stdout)).toMatchObject({ success: true });
      const { screen, exited } = openMomo([...args, ...server.at]);
      expect(await exited).toBe(0);
      expect(screen.text).not.toMatch(/^\{/);
      const tsv = (await momo(...args, "--format", "tsv")).stdout.split("\n");
      expect(tsv[0]?.split("\t")).toEqual(Object.keys(JSON.parse(piped.stdout)));
      expect(tsv).toHaveLength(3);
    });
  }

  test.concurrent("--json and --format together make no sense: exit 2; a failure is JSON with --format json, too", async () => {
    expect((await momo("list", "--json", "--format", "tsv")).exitCode).toBe(2);
    const run = await momo("status", "999", "--format", "json");
    expect(failureOf(run).code).toBe("not_found");
    expect(run.exitCode).toBe(3);
  });
});

describe("a payment is named by its number and by its request id alike", () => {
  test.concurrent("momo status, momo list --id", async () => {
    const byNumber = await momo("status", "2");
    expect(JSON.parse(byNumber.stdout)).toMatchObject({ checkout_request_id: second, amount: 99.5 });
    expect((await momo("status", "#2")).stdout).toBe(byNumber.stdout);
    for (const name of ["2", second]) expect((await momo("list", "--id", name, "-q")).stdout).toBe("2\n");
    for (const name of ["99", "ws_CO_nobody"]) {
      expect((await momo("list", "--id", name)).exitCode).toBe(3);
      expect((await momo("status", name)).exitCode).toBe(3);
    }
  });

  // Not beside the lists: it makes a merchant.
  test("momo answer, of any merchant's payment", async () => {
    const { stdout: number } = await momo("merchants", "create", "--name", "Second", "-q");
    const key = JSON.parse((await momo("keys", "create", "--merchant", number.trim(), "--json")).stdout);
    const account = (
      await momo("accounts", "create", "--name", "Till", "--merchant", number.trim(), "-q")
    ).stdout.trim();
    const env = { MOMO_API_KEY: key.api_key, MOMO_API_SECRET: key.api_secret };
    const args = ["pay", "0712345678", "5", "--account", account, "--json", ...server.at];
    const started = JSON.parse((await runMomo(args, { env })).stdout) as { transaction_id: number };
    expect((await momo("answer", String(started.transaction_id), "--pin", "1234", "-q")).stdout).toBe("completed\n");
  });

  test("momo list -q | xargs -n1 momo status", async () => {
    const script = '"$@" list -q --limit 2 --search 07 | xargs -n1 "$@" status -q';
    const env = { MOMO_DATA: server.ready.data };
    const run = await runToEnd(["sh", "-euc", script, "sh", ...PROGRAM], { env });
    expect(run).toMatchObject({ stderr: "", exitCode: 0 });
    expect(run.stdout.trim().split("\n")).toHaveLength(2);
  });
});

describe("what the control API can do, the terminal can", () => {
  test("momo rules add, list, clear", async () => {
    await momo(
      "rules",
      "add",
      "cancelled",
      "--phone",
      "+254 799 000 111",
      "--amount",
      "5",
      "--times",
      "2",
      "--after",
      "0ms",
    );
    await momo("rules", "add", "wrong_pin", "--account", "1", "--reference", "R-9");
    const { rules } = JSON.parse((await momo("rules", "list")).stdout) as { rules: object[] };
    expect(rules).toEqual([
      { match: { phone: "254799000111", amount: 5 }, outcome: "cancelled", after: "0s", times: 2 },
      { match: { payment_account_id: 1, reference: "R-9" }, outcome: "wrong_pin" },
    ]);
    const { screen, exited } = openMomo(["rules", "list", ...server.at], { env: { NO_COLOR: "1" } });
    expect(await exited).toBe(0);
    expect(screen.text).toMatch(/cancelled +254799000111, KES 5\.00 +0s +2\r\n/);
    expect((await momo("rules", "clear")).exitCode).toBe(0);
    expect(JSON.parse((await momo("rules", "list")).stdout)).toMatchObject({ rules: [] });
  });

  test("momo faults add, list, clear: one is added to the others, and the seed stays", async () => {
    await momo("faults", "add", "error", "--path", "/status.php", "--status", "503", "--times", "2", "--seed", "7");
    await momo("faults", "add", "delay", "--delay", "1ms", "--probability", "0.5");
    expect(JSON.parse((await momo("faults", "list")).stdout)).toMatchObject({
      seed: 7,
      faults: [
        { path: "/status.php", kind: "error", status: 503, probability: 1, times: 2 },
        { kind: "delay", delay: "1ms", probability: 0.5 },
      ],
    });
    expect((await momo("faults", "clear", "-q")).stdout).toBe("");
    for (const wrong of [["delay"], ["disconnect", "--status", "500"], ["error", "--delay", "1s"], ["rain"]]) {
      expect((await momo("faults", "add", ...wrong)).exitCode).toBe(2);
    }
    expect(JSON.parse((await momo("faults", "list")).stdout)).toMatchObject({ faults: [] });
  });

  test("momo default set, show", async () => {
    expect((await momo("default", "set", "insufficient_funds", "--after", "1s", "-q")).stdout).toBe(
      "insufficient_funds\n",
    );
    expect(JSON.parse((await momo("default", "show")).stdout)).toMatchObject({
      outcome: "insufficient_funds",
      after: "1s",
    });
    expect((await momo("default", "set", "rain")).exitCode).toBe(2);
  });
});

describe("help like gh's", () => {
  test("commands in groups, examples, exit codes, and where to read more, for every command", async () => {
    const pages = await helpPages("1.0.0");
    expect(pages[0]?.text).toMatch(/Run a sandbox:\n[\s\S]*Payments:\n[\s\S]*Steer the sandbox:\n[\s\S]*Shell:\n/);
    expect(pages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["momo pay", "momo rules add", "momo keys create"]),
    );
    for (const { name, text } of pages) {
      if (name === "momo help" || name === "momo version") continue;
      expect(text).toMatch(/\nExamples:\n {2}\$ [\s\S]*\nExit codes:\n {2}0 [\s\S]*\nLearn more:\n/);
      for (const line of text.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(80);
    }
  });

  test.concurrent("each command in an example exists", async () => {
    const pages = await helpPages("1.0.0");
    const names = new Set(pages.map(({ name }) => name));
    for (const { text } of pages) {
      for (const [, command = ""] of text.matchAll(/\$ .*?\bmomo ([a-z]+)/g))
        expect(names).toContain(`momo ${command}`);
    }
  });

  test.concurrent("momo version, and help wrapped to the width of the terminal", async () => {
    expect((await runMomo(["version"])).stdout).toBe((await runMomo(["--version"])).stdout);
    const { screen, exited } = openMomo(["help", "pay"], { columns: 60 });
    expect(await exited).toBe(0);
    const options = screen.text.split("Examples:")[0] ?? "";
    for (const line of options.split("\r\n")) expect(line.length).toBeLessThanOrEqual(60);
  });
});
