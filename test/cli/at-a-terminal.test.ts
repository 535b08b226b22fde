import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OUTCOME_NAMES } from "../../sandbox/network/outcomes.ts";
import { RESULT_CODES } from "../../src/domain/outcome.ts";
import { cleanUp, makePrograms, newFolder } from "../support/cleanup.ts";
import { flagsOf, hang, serveFake } from "../support/fake-server.ts";
import { KEYS, openMomo, openPlain, PROGRAM, runMomo, runToEnd, shownLines } from "../support/momo.ts";
import { type Sandbox, startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const enterPin = ({ control }: Sandbox, id: string) => control("POST", `/prompts/${id}/answer`, { pin: "1234" });

const shared = await startIn(newFolder());

describe("momo pay --wait", () => {
  const pay = ["pay", "0712345678", "1200", "--wait", "--interval", "50ms"];

  test.concurrent("prints number, amount, phone and id before it waits, and then counts down to the end of the prompt by the sandbox's clock", async () => {
    const sandbox = await startIn(newFolder());
    await sandbox.control("POST", "/clock", { advance: "1h" });
    const { screen, exited } = openPlain([...pay, "--outcome", "manual", ...sandbox.at]);
    const [, id = ""] = await screen.until(/#1 {2}KES 1,200\.00 from 254712345678\r\n(ws_CO_\w+)\r\n/);
    await screen.until(/Waiting for the PIN … [01]:\d\d left/);
    await enterPin(sandbox, id);
    expect(await exited).toBe(0);
    expect(shownLines(screen.text)).toContain("✓ completed");
  });

  test.concurrent("a prompt that waits for a person: it names momo phone", async () => {
    const { screen, type, exited } = openPlain(["pay", "254700000100", "1", "--wait", ...shared.at]);
    await screen.until(/The prompt waits for an answer: give it with momo phone 254700000100\./);
    type(KEYS.ctrlC);
    expect(await exited).toBe(130);
  });

  test.concurrent("it says that the clock is frozen", async () => {
    const { at, control } = await startIn(newFolder());
    await control("POST", "/clock", { freeze: true });
    const { screen } = openPlain([...pay, "--outcome", "manual", ...at]);
    await screen.until(/The sandbox's clock is frozen: momo clock resume starts it again\.[\s\S]*the clock is frozen/);
    await control("POST", "/clock", { resume: true });
    await screen.until(/Waiting for the PIN … \d+:\d\d left/);
  });

  test.concurrent.each([
    ["Ctrl+C", [], 130, "The payment goes on. Wait again with: "],
    ["a time-out", ["--timeout", "200ms"], 13, "Still pending. Wait again with: "],
  ] as const)("%s: it prints the command that waits on, which works", async (_how, flags, exitCode, lead) => {
    const { screen, type, exited } = openPlain([...pay, "--outcome", "manual", ...flags, ...shared.at], {
      columns: 300,
    });
    if (exitCode === 130) {
      await screen.until(/left/);
      type(KEYS.ctrlC);
    }
    expect(await exited).toBe(exitCode);
    expect(screen.text).toContain(lead);
    const [, id = "", next = ""] = /Wait again with: momo status (ws_CO_\w+) (--wait .*)\r\n$/.exec(screen.text) ?? [];
    await enterPin(shared, id);
    expect((await runMomo(["status", id, ...next.split(" "), "-q"])).stdout).toBe("completed\n");
  });

  test.concurrent("Ctrl+C while the payment of a number is looked up: the same", async () => {
    const { screen, type, exited } = openPlain(["status", "7", "--wait", ...flagsOf(serveFake(hang))], {
      columns: 300,
    });
    await screen.until(/Waiting for the PIN/);
    type(KEYS.ctrlC);
    expect(await exited).toBe(130);
    expect(screen.text).toContain("Wait again with: momo status 7 --wait ");
  });

  test.concurrent("TERM=dumb: whole lines, and no escape sequence", async () => {
    const sandbox = await startIn(newFolder());
    const args = [...pay, "--outcome", "completed; after=50s", ...sandbox.at];
    const { screen, exited } = openMomo(args, { env: { TERM: "dumb" } });
    await screen.until(/Waiting for the PIN/);
    const [payment] = await sandbox.list();
    await enterPin(sandbox, String(payment?.checkout_request_id));
    expect(await exited).toBe(0);
    expect(screen.text).not.toContain("\x1b");
  });

  test.concurrent("Ctrl+Z and back, in a shell: the cursor is never hidden, and the wait goes on", async () => {
    const id = await shared.pay({}, "manual");
    const { screen, type } = openPlain([], { program: ["bash", "--norc", "-i"], env: { NO_COLOR: "1", PS1: "$ " } });
    const command = PROGRAM.map((word) => `'${word}'`).join(" ");
    type(`${command} status ${id} --wait --interval 50ms ${shared.at.join(" ")}\r`);
    await screen.until(/left/);
    type(KEYS.ctrlZ);
    await screen.until(/Stopped/);
    type("fg\r");
    await enterPin(shared, id);
    await screen.until(/✓ completed/);
    expect(screen.text).not.toContain("\x1b[?25l");
    type("exit\r");
  });
});

test.concurrent("a page is its own text, in UTF-8 whatever the locale is, neither filled nor in a pager", async () => {
  const env = { PAGER: "sed s/^/paged:/", NO_COLOR: "1", LC_ALL: "C" };
  const { screen, exited } = openPlain(["help", "readme"], { columns: 40, rows: 10, env });
  expect(await exited).toBe(0);
  expect(screen.text.replaceAll("\r\n", "\n")).toBe(readFileSync(join(import.meta.dir, "../../README.md"), "utf8"));
});

describe("momo list", () => {
  test.concurrent("nothing is cut: what does not fit goes below its row, whole words in each line", async () => {
    const { at, pay, control } = await startIn(newFolder());
    const reference = "An order of 16 words ".repeat(4).trim();
    await pay({ amount: 1200, reference: "ORDER-1" }, "manual");
    await pay({ amount: 250_000, reference }, "insufficient_funds; after=0ms");
    await control("POST", "/clock", { advance: "5m" });
    const tableAt = async (columns: number) => {
      const { screen, exited } = openPlain(["list", ...at], { columns });
      expect(await exited).toBe(0);
      return screen.text.split("\r\n\r\n")[0] ?? "";
    };
    const whole = await tableAt(500);
    const width = Math.max(...shownLines(whole).map((line) => Bun.stringWidth(line)));
    expect(await tableAt(width)).toBe(whole);
    expect(whole).toContain(" age ");
    expect(await tableAt(width - 1)).not.toContain(" age ");
    for (const columns of [120, 80, 60, 40]) {
      const table = await tableAt(columns);
      const lines = shownLines(table);
      for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
      expect(table).toMatch(/^id +(?:age +)?status +amount/);
      expect(lines.find((line) => line.startsWith(" 2"))).toMatch(/^ 2 +(?:5m +)?✗ failed +250,000\.00/);
      const words = table.split(/\s+/).join(" ");
      for (const whole of [reference, "insufficient funds (1)", "254712345678", "ORDER-1"])
        expect(words).toContain(whole);
    }
  });

  test.concurrent("long output goes to the pager; below a table are the commands for the next page and for one payment", async () => {
    const { at, pay } = await startIn(newFolder());
    for (let count = 1; count <= 12; count++) await pay({}, "manual");
    const { PATH } = makePrograms({ less: '#!/bin/sh\nsed "s/^/$LESS: /"\n' });
    const list = (more: Record<string, string>, limit: string, ...filters: string[]) => {
      const env = { NO_COLOR: "1", PATH, ...more };
      return openMomo(["list", ...at, "--limit", limit, ...filters], { env, rows: 10 });
    };
    const shown = async (...asked: Parameters<typeof list>) => {
      const { screen, exited } = list(...asked);
      expect(await exited).toBe(0);
      return screen.text;
    };
    expect((await shown({}, "12")).match(/FRX: /g)).toHaveLength(13);
    expect(await shown({ LESS: "S" }, "12")).toMatch(/^S: /m);
    expect(await shown({}, "3")).toMatch(
      /^ *12 [\s\S]*page 1 of 4, 12 in all\r\nNext page:\s+momo list --limit 3 --page 2 [\s\S]*\r\nOne of them: momo status 12 /m,
    );
    for (const PAGER of ["no-such-pager", "/dev/null", ""]) expect(await shown({ PAGER }, "12")).toMatch(/^ *1 .*254/m);
    const filters = "--type api --status pending --from 2020-01-31 --to 2999-12-31 --search 0712";
    const next = await shown({ PAGER: "cat" }, "3", "--page", "2", ...filters.split(" "));
    expect(next.split(/[\s\\]+/).join(" ")).toContain(`Next page: momo list --limit 3 ${filters} --page 3 --data `);
    // more reads its keys from standard error.
    const keyed = list({ PAGER: "cat; read key <&2; echo got $key" }, "12");
    await keyed.screen.until(/^ *1 .*254/m);
    keyed.type("on\r");
    await keyed.screen.until(/got on/);
    const PAGER = "trap 'echo heard; exit 0' INT; cat >/dev/null; echo paging; while :; do sleep 0.05; done";
    const long = list({ PAGER }, "12");
    await long.screen.until(/paging/);
    long.type(KEYS.ctrlC);
    expect(await long.exited).toBe(0);
    expect(long.screen.text).toMatch(/heard[\s\S]*page 1 of 1, 12 in all/);
  });
});

describe("a command that deletes something asks for confirmation", () => {
  test.concurrent("momo reset: Enter means no, y means yes, --yes does not ask", async () => {
    const { at, pay, list } = await startIn(newFolder());
    await pay();
    const no = openMomo(["reset", ...at]);
    await no.screen.until(/The reset removes 1 transaction[\s\S]*Go on\?/);
    no.type(KEYS.enter);
    expect(await no.exited).toBe(1);
    expect(no.screen.text).toContain("Nothing was changed.");
    expect(await list()).toHaveLength(1);
    const yes = openMomo(["reset", ...at]);
    await yes.screen.until(/Go on\?/);
    yes.type("y");
    expect(await yes.exited).toBe(0);
    expect(await list()).toEqual([]);
    const unasked = openMomo(["reset", "--yes", ...at]);
    expect(await unasked.exited).toBe(0);
    expect(unasked.screen.text).not.toContain("Go on?");
    expect(await openMomo(["reset", "--json", ...at]).exited).toBe(0);
  });

  test.concurrent("momo keys revoke asks only before it revokes the key in use", async () => {
    const { at, control, headers, list } = await startIn(newFolder());
    const { api_key } = await control("POST", "/keys", { label: "other" });
    expect(await openMomo(["keys", "revoke", String(api_key), ...at]).exited).toBe(0);
    const own = openMomo(["keys", "revoke", headers["X-API-Key"] ?? "", ...at]);
    await own.screen.until(/credentials\.json[\s\S]*refused from now on[\s\S]*Go on\?/);
    own.type(KEYS.ctrlC);
    expect(await own.exited).toBe(130);
    expect(await list()).toEqual([]);
    const asProgram = ["keys", "revoke", headers["X-API-Key"] ?? "", "--format", "json", ...at];
    expect(await openMomo(asProgram).exited).toBe(0);
  });

  test.concurrent("momo import --replace asks", async () => {
    const { at, stop } = await startIn(newFolder());
    const copy = join(newFolder(), "copy");
    await runMomo(["export", copy, ...at]);
    await stop();
    const { screen, type, exited } = openMomo(["import", copy, "--replace", ...at]);
    await screen.until(/what is in it is lost[\s\S]*Go on\?/);
    type("n");
    expect(await exited).toBe(1);
  });
});

describe("a person at a terminal", () => {
  test.concurrent("momo pay without arguments asks for phone, amount and outcome, waits, and explains the outcome", async () => {
    const { screen, type, exited } = openPlain(["pay", ...shared.at, "--interval", "50ms", "--reference", "A-1"], {
      columns: 200,
    });
    await screen.until(/Phone of the customer/);
    type(`07x${KEYS.enter}`);
    await screen.until(/It must be a number such as 0712345678/);
    type(`${KEYS.backspace.repeat(3)}0722000111${KEYS.enter}`);
    await screen.until(/Amount in KES/);
    type(KEYS.enter);
    await screen.until(/What does the customer do\?[\s\S]*wrong_pin: the customer enters a wrong PIN/);
    type(`${KEYS.down.repeat(1 + OUTCOME_NAMES.indexOf("wrong_pin"))}${KEYS.enter}`);
    await screen.until(
      /The same without questions: momo pay 0722000111 100 --outcome wrong_pin --reference A-1 --wait /,
    );
    await screen.until(/Waiting for the PIN/);
    await shared.control("POST", "/clock", { advance: "3s" });
    expect(await exited).toBe(10);
    const { meaning, advice } = RESULT_CODES[2001];
    const words = screen.text.split("✗ failed")[1]?.split(/\s+/).join(" ");
    expect(words).toStartWith(
      `: wrong PIN (2001) means ${meaning} network says ${RESULT_CODES[2001].text} (2001) what to do ${advice} `,
    );
  });

  test.concurrent("at 40 columns no word of an outcome is cut in two, and the command to go on can be pasted", async () => {
    const id = await shared.pay({ amount: 1 }, "pin_locked; after=0ms");
    await shared.control("POST", "/clock", { advance: "1ms" });
    const { screen, exited } = openPlain(["status", id, ...shared.at], { columns: 40 });
    expect(await exited).toBe(0);
    expect(screen.text.split(/\s+/).join(" ")).toContain(RESULT_CODES[8006].advice);
    for (const line of shownLines(screen.text)) if (!line.includes("_")) expect(line.length).toBeLessThanOrEqual(40);
    const started = openPlain(["pay", "254700000100", "1", ...shared.at], { columns: 40 });
    await started.exited;
    const [, command = ""] = started.screen.text.split("Follow it with:\r\n");
    const pasted = command.replaceAll("\r\n", "\n").replace("momo", '"$@"');
    const run = await runToEnd(["sh", "-c", pasted.replace("--wait", "-q"), "sh", ...PROGRAM]);
    expect(run).toEqual({ stdout: "pending\n", stderr: "", exitCode: 0 });
  });
});

test.concurrent("momo open opens the console in the browser, and prints its address", async () => {
  const opened = join(newFolder(), "opened");
  const failing = "#!/bin/sh\nexit 3\n";
  const writing = (what: string) => `#!/bin/sh\necho "${what}" > '${opened}'\n`;
  const { bin } = makePrograms({ mine: writing("mine $*"), broken: "\0" });
  const address = `${shared.origin}/_momo/`;
  const printed = { stdout: `${address}\n`, stderr: "", exitCode: 0 };
  const open = (env: Record<string, string>) => runMomo(["open", ...shared.at], { env });
  const openWith = (programs: Record<string, string>) => open({ PATH: makePrograms(programs).PATH });
  const expectOpened = async (text: string) => expect(await Bun.file(opened).text()).toBe(`${text}\n`);

  expect(await openWith({ "xdg-open": writing("$1") })).toEqual(printed);
  if (process.platform === "linux") await expectOpened(address);
  const stderr = "No program here opens addresses: open it in a browser yourself.\n";
  expect(await openWith({ "xdg-open": failing })).toEqual({ ...printed, stderr });
  // As Linux in Windows has it.
  expect(await openWith({ "xdg-open": failing, wslview: writing("in Windows $1") })).toEqual(printed);
  if (process.platform === "linux") await expectOpened(`in Windows ${address}`);
  expect((await runMomo(["open", "--print"])).exitCode).toBe(6);

  await open({ BROWSER: `no-such-browser:${bin}/mine --new` });
  await expectOpened(`mine --new ${address}`);
  await open({ BROWSER: `${bin}/mine %s#payments` });
  await expectOpened(`mine ${address}#payments`);
  for (const BROWSER of ["no-such-browser", `${bin}/broken`]) {
    const stderr = `BROWSER=${BROWSER} opens no address: open it in a browser yourself.\n`;
    expect(await open({ BROWSER })).toEqual({ ...printed, stderr });
  }
});
