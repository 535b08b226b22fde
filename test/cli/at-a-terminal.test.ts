import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo, runToEnd, type Served, serveMomo } from "../support/momo.ts";
import { KEYS, openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

const PLAIN = { NO_COLOR: "1" };
const pay = async (server: Served, ...flags: string[]) =>
  (await runMomo(["pay", "0712345678", "1200", "-q", ...server.at, ...flags])).stdout.trim();
/** The lines that a terminal shows. */
const linesOf = (text: string) => text.split("\r\n").map((line) => line.split("\x1b[K").at(-1) ?? "");

describe("momo pay --wait", () => {
  test.concurrent("says number, amount, phone and id before it waits, and counts the prompt's life down", async () => {
    const server = await serveMomo();
    const args = ["pay", "0712345678", "1200", "--wait", "--outcome", "manual", ...server.at];
    const { screen, exited } = openMomo(args, { env: PLAIN });
    const [, id = ""] = await screen.until(/#1 {2}KES 1,200\.00 from 254712345678\r\n(ws_CO_\w+)\r\n/);
    await screen.until(/Waiting for the customer to enter the PIN … [01]:\d\d left/);
    await runMomo(["answer", id, "--pin", "1234", ...server.at]);
    expect(await exited).toBe(0);
    expect(screen.text).toMatch(/✓ completed\r\n/);
  });

  test.concurrent("a prompt that waits for somebody: it names momo phone", async () => {
    const server = await serveMomo();
    const { screen, type, exited } = openMomo(["pay", "254700000100", "1", "--wait", ...server.at], { env: PLAIN });
    await screen.until(/The prompt waits for somebody: momo phone 254700000100 answers it\./);
    type(KEYS.ctrlC);
    expect(await exited).toBe(130);
  });

  test.concurrent("a clock that stands still: it says so", async () => {
    const server = await serveMomo();
    await runMomo(["clock", "freeze", ...server.at]);
    const { screen } = openMomo(["pay", "0712345678", "1", "--wait", ...server.at], { env: PLAIN });
    await screen.until(/The sandbox's clock stands still: momo clock resume lets it go on\./);
  });

  test.concurrent("Ctrl+C and a time-out end with what to run next, and that works", async () => {
    const server = await serveMomo(["--outcome", "manual"]);
    const broken = openMomo(["pay", "0712345678", "1", "--wait", ...server.at], { env: PLAIN, columns: 300 });
    await broken.screen.until(/left/);
    broken.type(KEYS.ctrlC);
    expect(await broken.exited).toBe(130);
    const late = openMomo(["pay", "0712345678", "1", "--wait", "--timeout", "1s", ...server.at], {
      env: PLAIN,
      columns: 300,
    });
    expect(await late.exited).toBe(13);
    for (const { screen } of [broken, late]) {
      const [, id = "", flags = ""] =
        /Wait again with: momo status (ws_CO_\w+) (--wait .*)\r\n$/.exec(screen.text) ?? [];
      await runMomo(["answer", id, "--pin", "1234", ...server.at]);
      expect((await runMomo(["status", id, ...flags.split(" "), "-q"])).stdout).toBe("completed\n");
    }
  });

  test.concurrent("TERM=dumb: whole lines, and no escape sequence", async () => {
    const server = await serveMomo();
    const args = ["pay", "0712345678", "1", "--wait", "--outcome", "completed; after=50s", ...server.at];
    const { screen, exited } = openMomo(args, { env: { TERM: "dumb" } });
    await screen.until(/Waiting for the customer/);
    await runMomo(["answer", "1", "--pin", "1234", ...server.at]);
    expect(await exited).toBe(0);
    expect(screen.text).not.toContain("\x1b");
  });

  test.concurrent("Ctrl+Z and back, in a shell: the cursor is never hidden, and the wait goes on", async () => {
    const server = await serveMomo(["--outcome", "manual"]);
    const id = await pay(server);
    const { screen, type } = openMomo([], { program: ["bash", "--norc", "-i"], env: { ...PLAIN, PS1: "$ " } });
    const command = await shellCommand();
    type(`${command} status ${id} --wait --interval 50ms ${server.at.join(" ")}; echo "code $?"\r`);
    await screen.until(/left/);
    type(KEYS.ctrlZ);
    await screen.until(/Stopped/);
    type("fg\r");
    await runMomo(["answer", id, "--pin", "1234", ...server.at]);
    await screen.until(/✓ completed/);
    expect(screen.text).not.toContain("\x1b[?25l");
    type("exit\r");
  });
});

/** The program, as a shell's command line. */
async function shellCommand(): Promise<string> {
  const { PROGRAM } = await import("../support/momo.ts");
  return PROGRAM.map((word) => `'${word}'`).join(" ");
}

describe("momo list", () => {
  test.concurrent("number, age, sign, amount, phone, reference and reason fit 80 columns; fewer fit below", async () => {
    const server = await serveMomo();
    await pay(server, "--reference", "ORDER-1");
    await pay(server, "--outcome", "insufficient_funds; after=0ms");
    await runMomo(["clock", "advance", "5m", ...server.at]);
    for (const columns of [80, 60, 40, 30]) {
      const { screen, exited } = openMomo(["list", ...server.at], { env: PLAIN, columns });
      expect(await exited).toBe(0);
      const table = linesOf(screen.text).slice(0, 3);
      for (const line of table) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
      expect(table[1]).toMatch(/ 2 .*✗ failed .*1,200\.00/);
      if (columns === 80) {
        expect(table[0]).toMatch(/^id +age +status +amount +phone +reference +reason$/);
        expect(table[1]).toMatch(/ 5m .*254712345678 +insufficient funds \(1\)/);
        expect(table[2]).toMatch(/1 +5m +. \w+ +1,200\.00 +254712345678 +ORDER-1/);
      }
      expect(screen.text).toMatch(/One of them: momo status 2 /);
    }
  });

  test.concurrent("long output goes to the pager; short output does not", async () => {
    const server = await serveMomo();
    for (let count = 0; count < 12; count++) await pay(server);
    const env = { ...PLAIN, PAGER: "sed 's/^/paged: /'" };
    const long = openMomo(["list", ...server.at, "--limit", "12"], { env, rows: 10 });
    expect(await long.exited).toBe(0);
    expect(long.screen.text.match(/paged: /g)).toHaveLength(13);
    const short = openMomo(["list", ...server.at, "--limit", "3"], { env, rows: 10 });
    expect(await short.exited).toBe(0);
    expect(short.screen.text).not.toContain("paged");
    const missing = openMomo(["list", ...server.at, "--limit", "12"], { env: { PAGER: "no-such-pager" }, rows: 10 });
    expect(await missing.exited).toBe(0);
    expect(missing.screen.text).toContain("254712345678");
  });
});

describe("questions before harm, at a terminal only", () => {
  test.concurrent("momo reset says what is lost, and asks; no: nothing is changed; --yes does not ask", async () => {
    const server = await serveMomo();
    await pay(server);
    const no = openMomo(["reset", ...server.at]);
    await no.screen.until(/Lost are 1 transaction[\s\S]*Go on\?/);
    no.type(KEYS.enter);
    expect(await no.exited).toBe(1);
    expect(no.screen.text).toContain("Nothing was changed.");
    expect((await runMomo(["list", "-q", ...server.at])).stdout).toBe("1\n");
    const yes = openMomo(["reset", ...server.at]);
    await yes.screen.until(/Go on\?/);
    yes.type("y");
    expect(await yes.exited).toBe(0);
    expect((await runMomo(["list", "-q", ...server.at])).stdout).toBe("");
    const unasked = openMomo(["reset", "--yes", ...server.at]);
    expect(await unasked.exited).toBe(0);
    expect(unasked.screen.text).not.toContain("Go on?");
  });

  test.concurrent("momo keys revoke asks for the key in use, and for no other", async () => {
    const server = await serveMomo();
    const other = (await runMomo(["keys", "create", "-q", ...server.at])).stdout.trim();
    expect(await openMomo(["keys", "revoke", other, ...server.at]).exited).toBe(0);
    const own = openMomo(["keys", "revoke", server.ready.api_key, ...server.at]);
    await own.screen.until(/credentials\.json[\s\S]*refused from now on[\s\S]*Go on\?/);
    own.type(KEYS.ctrlC);
    expect(await own.exited).toBe(130);
    expect((await runMomo(["list", ...server.at])).exitCode).toBe(0);
  });

  test.concurrent("momo import --replace asks, and a script is not asked", async () => {
    const server = await serveMomo();
    const copy = join(newFolder(), "copy");
    await runMomo(["export", copy, ...server.at]);
    await pay(server);
    await server.stop();
    const asked = openMomo(["import", copy, "--replace", ...server.at]);
    await asked.screen.until(/what is in it is lost[\s\S]*Go on\?/);
    asked.type("n");
    expect(await asked.exited).toBe(1);
    expect((await runMomo(["import", copy, "--replace", ...server.at])).exitCode).toBe(0);
  });
});

describe("a refused key: who is to blame, and what to do", () => {
  test.concurrent("a flag, the environment, or the saved one", async () => {
    const { at, ready } = await serveMomo();
    const env = { MOMO_API_KEY: "mk_1", MOMO_API_SECRET: "ms_1" };
    const byFlag = await runMomo(["list", ...at, "--api-key", "mk_2", "--api-secret", "ms_2"], { env });
    expect(byFlag).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("mk_2 and its secret came from --api-key"),
    });
    const byVariable = await runMomo(["list", ...at], { env });
    expect(byVariable.stderr).toContain(
      "mk_1 and its secret came from MOMO_API_KEY and MOMO_API_SECRET in the environment",
    );
    await runMomo(["keys", "revoke", ready.api_key, ...at]);
    expect((await runMomo(["list", ...at])).stderr).toMatch(
      /came from \S+credentials\.json: stop and start momo serve/,
    );
  });
});

describe("momo serve tells the story", () => {
  test.concurrent("version and time to ready, a line as each payment starts and ends, what is kept at the end", async () => {
    const folder = join(newFolder(), "data");
    const { screen, type, exited } = openMomo(["serve", "--port", "0", "--data", folder], { env: PLAIN, columns: 60 });
    await screen.until(/^momo \d+\.\d+\.\d+\S*, a mobile-money sandbox, ready in \d+ ms\r\n[\s\S]*console[\s\S]*Ready/);
    await runMomo(["pay", "0712345678", "100", "--outcome", "completed; after=0ms", "--data", folder]);
    await screen.until(/#1 ✓ paid [0-9A-Z]{10}/);
    await runMomo(["pay", "0712345678", "100", "--outcome", "wrong_pin; after=0ms", "--data", folder]);
    await screen.until(/#2 • asks the customer[\s\S]*#2 ✗ wrong PIN \(2001\)/);
    for (const line of linesOf(screen.text).filter((line) => line.includes("#"))) {
      if (/#[12] /.test(line)) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(60);
    }
    expect(screen.text).not.toContain("POST");
    type(KEYS.ctrlC);
    expect(await exited).toBe(0);
    expect(screen.text).toEndWith(`stopped; 2 payments kept in ${folder}\r\n`);
  });

  test.concurrent("requests only with --log requests; --host 0.0.0.0 shows the addresses that others use", async () => {
    const args = ["serve", "--port", "0", "--ephemeral", "--log", "requests", "--host", "0.0.0.0"];
    const { screen } = openMomo(args, { env: PLAIN });
    const [, address] = await screen.until(/API +(\S+)\r\n[\s\S]*Ready/);
    const { networkInterfaces } = await import("node:os");
    const others = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).filter((one) => !one.internal && one.family === "IPv4"),
    );
    for (const { address: other } of others) expect(screen.text).toContain(`others use       http://${other}:`);
    await fetch(`${address}/nothing`);
    await screen.until(/404 {2}GET/);
  });
});

describe("momo tail and momo open", () => {
  test.concurrent("tail follows a running server: lines for people, JSON lines in a pipe; it outlives a restart", async () => {
    const server = await serveMomo();
    const { screen, type, exited } = openMomo(["tail", ...server.at], { env: PLAIN });
    await screen.until(/Following/);
    await pay(server, "--outcome", "cancelled; after=0ms");
    await screen.until(/#1 • asks the customer[\s\S]*#1 ✗ cancelled/);
    await server.kill();
    await screen.until(/The server has gone; waiting for it/);
    const again = await serveMomo([...server.at]);
    await screen.until(/The server is back\./);
    await pay(again, "--outcome", "manual");
    await screen.until(/#2 • asks/);
    type(KEYS.ctrlC);
    expect(await exited).toBe(130);
  });

  test.concurrent("open gives the console's address to the browser, and prints it", async () => {
    const server = await serveMomo();
    const folder = newFolder();
    const opened = join(folder, "opened");
    await Bun.write(join(folder, "xdg-open"), `#!/bin/sh\necho "$1" > '${opened}'\n`);
    await runToEnd(["chmod", "+x", join(folder, "xdg-open")]);
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const run = await runMomo(["open", ...server.at], { env });
    expect(run).toEqual({ stdout: `${server.ready.console_url}\n`, stderr: "", exitCode: 0 });
    if (process.platform === "linux") expect(await Bun.file(opened).text()).toBe(run.stdout);
    expect((await runMomo(["open", "--print"])).exitCode).toBe(6);
  });
});
