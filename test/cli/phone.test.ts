import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { KEYS, openMomo, PROGRAM, serveMomo } from "../support/momo.ts";
import { type Sandbox, startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const startPrompt = (sandbox: Sandbox, order: object = {}) =>
  sandbox.pay({ amount: 1200, reference: "REF", description: "Two shoes", ...order }, "manual");
const answer = ({ control }: Sandbox, id: string, outcome: string) =>
  control("POST", `/prompts/${id}/answer`, { outcome });

describe("momo phone at a terminal", () => {
  test.concurrent("a prompt arrives, the digits of the PIN are not shown, and the text message arrives", async () => {
    const sandbox = await startIn(newFolder());
    const { screen, type, exited } = openMomo(["phone", "0712345678", ...sandbox.at]);
    await screen.until(/Waiting for a prompt/);
    const id = await startPrompt(sandbox);
    await screen.until(/Demo Shop asks 254712345678.*Pay Ksh1,200\.00 for account REF.*Two shoes/s);
    await screen.until(/M-PIN.*left/);
    type(`12${KEYS.backspace}234${KEYS.enter}${KEYS.enter}`);
    await screen.until(/[0-9A-Z]{10} Confirmed\. Ksh1,200\.00 sent to Demo Shop for account REF on /);
    expect(await sandbox.statusOf(id)).toBe("completed");
    expect(screen.text).not.toContain("1234 ");
    type(KEYS.ctrlC);
    expect(await exited).toBe(0);
    expect(screen.text).not.toMatch(/Too late|prompt is gone/);
  });

  test.concurrent("another prompt and a frozen clock leave the digits typed so far; the next prompt begins without any", async () => {
    const sandbox = await startIn(newFolder());
    await startPrompt(sandbox);
    const { screen, type } = openMomo(["phone", ...sandbox.at]);
    await screen.until(/M-PIN/);
    type("12");
    await screen.until(/M-PIN ••/);
    await startPrompt(sandbox, { amount: 77 });
    await sandbox.control("POST", "/clock", { freeze: true });
    await screen.until(/M-PIN •• +the clock is frozen/);
    type(`34${KEYS.enter}`);
    await screen.until(/Confirmed\. Ksh1,200\.00/);
    await screen.until(/Pay Ksh77\.00[\s\S]*M-PIN +the clock is frozen/);
  });

  test.concurrent.each([
    ["lost: which command checks", 504, "", /may not have arrived: .*check with momo status ws_CO_1 --base-url/],
    ["refused: why", 409, '{"success":false,"message":"it expired"}', /That prompt is gone: it expired/],
  ] as const)("an answer that is %s", async (_what, status, body, said) => {
    const asked = { phone: "254712345678", business: "Shop", amount: 5, expires_at_ms: Date.now() + 60_000 };
    const stream = () => new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(": \n\n")) });
    const server = serveFake(({ url }) => {
      if (url.endsWith("/events")) return new Response(stream(), { headers: { "Content-Type": "text/event-stream" } });
      if (url.endsWith("/answer")) return new Response(body, { status });
      const prompts = [{ checkout_request_id: "ws_CO_1", ...asked }];
      return Response.json({ success: true, message: "", prompts, now_ms: Date.now() });
    });
    const { screen, type } = openMomo(["phone", "--base-url", server.baseUrl], { columns: 300 });
    await screen.until(/M-PIN/);
    type(`1234${KEYS.enter}`);
    await screen.until(said);
  });

  test.concurrent("three digits are not sent; a wrong PIN says why; Escape cancels a prompt, an arrow does not", async () => {
    const sandbox = await startIn(newFolder());
    await startPrompt(sandbox);
    const { screen, type } = openMomo(["phone", ...sandbox.at]);
    await screen.until(/M-PIN/);
    type(`000${KEYS.enter}`);
    await screen.until(/4 to 6 digits; 0000 is the wrong one/);
    type(`0${KEYS.enter}`);
    await screen.until(/the payment is failed: wrong PIN \(2001\)/);
    const second = await startPrompt(sandbox, { amount: 77 });
    await screen.until(/Pay Ksh77\.00/);
    type(`${KEYS.down}${KEYS.escape}912`); // Alt and 9 is no digit
    await screen.until(/Ksh77[\s\S]*M-PIN ••/);
    expect(await sandbox.statusOf(second)).toBe("pending");
    type(KEYS.escape);
    await screen.until(/the payment is cancelled[\s\S]*Waiting for a prompt/);
    expect(await sandbox.statusOf(second)).toBe("cancelled");
    await startPrompt(sandbox, { amount: 66 });
    await screen.until(/Pay Ksh66\.00[\s\S]*M-PIN/);
    type(`1234567${KEYS.enter}`); // the seventh is not taken
    await screen.until(/Confirmed\. Ksh66\.00/);
  });

  test.concurrent("a prompt that ends elsewhere: one line names the reason (answered, reset or expired), also while a PIN is typed", async () => {
    const sandbox = await startIn(newFolder());
    const first = await startPrompt(sandbox);
    const { screen, type } = openMomo(["phone", ...sandbox.at]);
    await screen.until(/M-PIN/);
    await answer(sandbox, first, "wrong_pin");
    await screen.until(/Too late: the payment is failed, wrong PIN \(2001\)\./);
    const second = await startPrompt(sandbox, { amount: 77 });
    await screen.until(/Pay Ksh77\.00/);
    type("12");
    await screen.until(/M-PIN ••/);
    await answer(sandbox, second, "cancelled");
    await screen.until(/Too late: the payment is cancelled\./);
    await startPrompt(sandbox, { amount: 88 });
    await screen.until(/Pay Ksh88\.00[\s\S]*M-PIN {3}/); // nothing is typed yet
    await sandbox.control("POST", "/reset", {});
    await screen.until(/That prompt is gone\./);
    await startPrompt(sandbox, { amount: 99 });
    await screen.until(/Pay Ksh99\.00[\s\S]*M-PIN/);
    type("123");
    await screen.until(/M-PIN •••/);
    await sandbox.control("POST", "/clock", { advance: "61s" });
    await screen.until(/The prompt has expired/);
  });

  test.concurrent("it goes on when its server is killed and starts again on another port", async () => {
    const first = await serveMomo();
    const { screen, type, exited } = openMomo(["phone", ...first.at]);
    await screen.until(/Waiting for a prompt/);
    await first.kill();
    await screen.until(/The server has gone/);
    const server = await serveMomo([...first.at]);
    await screen.until(/has gone[\s\S]*Waiting for a prompt/);
    await server.pay({ amount: 1200 }, "manual");
    await screen.until(/M-PIN/);
    await server.kill();
    await screen.until(/That prompt is gone: the server has gone\./);
    const again = await serveMomo([...server.at]);
    // The prompt is on disk, and open as before.
    await screen.until(/prompt is gone[\s\S]*Pay Ksh1,200\.00[\s\S]*M-PIN/);
    await again.pay({ amount: 99 }, "manual");
    type(`1234${KEYS.enter}`);
    await screen.until(/Confirmed[\s\S]*Pay Ksh99\.00/);
    type(KEYS.ctrlC);
    expect(await exited).toBe(0);
  });

  test.concurrent("several prompts: which of how many, the time left for each, and the next one", async () => {
    const sandbox = await startIn(newFolder());
    await sandbox.control("POST", "/clock", { advance: "1h" });
    await startPrompt(sandbox, { phone: "0722000000", amount: 11 });
    for (const amount of [22, 33, 44]) await startPrompt(sandbox, { amount });
    const { screen } = openMomo(["phone", "+254", "712", "345678", ...sandbox.at]);
    await screen.until(/1 of 3: Demo Shop asks 254712345678, [01]:\d\d left[\s\S]*Pay Ksh22\.00/);
    await screen.until(/Next: Ksh33\.00 for Demo Shop, [01]:\d\d left/);
    expect(screen.text).not.toContain("Ksh11.00");
  });

  test.concurrent("Ctrl+C switches it off while it waits, and while a prompt is open; the prompt stays open", async () => {
    const sandbox = await startIn(newFolder());
    const waiting = openMomo(["phone", ...sandbox.at]);
    await waiting.screen.until(/Waiting for a prompt/);
    waiting.type(KEYS.ctrlC);
    expect(await waiting.exited).toBe(0);
    const id = await startPrompt(sandbox);
    const asked = openMomo(["phone", ...sandbox.at]);
    await asked.screen.until(/M-PIN/);
    asked.type(`12${KEYS.ctrlC}`);
    expect(await asked.exited).toBe(0);
    for (const { screen } of [waiting, asked]) expect(screen.text).toEndWith("Switched off.\r\n");
    expect(await sandbox.statusOf(id)).toBe("pending");
  });

  test.concurrent("Ctrl+Z and back, in a shell and twice: the PIN is still not shown", async () => {
    const sandbox = await startIn(newFolder());
    const { screen, type } = openMomo([], { program: ["bash", "--norc", "-i"], env: { PS1: "$ " } });
    type(`${PROGRAM.map((word) => `'${word}'`).join(" ")} phone ${sandbox.at.join(" ")}\r`);
    await screen.until(/Waiting for a prompt/);
    await startPrompt(sandbox);
    await screen.until(/M-PIN/);
    for (const times of [1, 2]) {
      type(KEYS.ctrlZ);
      await screen.until(new RegExp(`(Stopped[^]*){${times}}`));
      type("fg\r");
      // The timer may draw the first line before the keyboard is back.
      await screen.until(new RegExp(`(Stopped[^]*\\$ fg[^]*){${times}}(M-PIN[^]*){2}`));
    }
    type(`987${KEYS.backspace}76${KEYS.enter}`);
    await screen.until(/Confirmed/);
    expect(screen.text).not.toContain("987");
  });

  test.concurrent("TERM=dumb: plain lines, and no line is drawn again", async () => {
    const sandbox = await startIn(newFolder());
    await startPrompt(sandbox);
    const { screen, type, exited } = openMomo(["phone", ...sandbox.at], { env: { TERM: "dumb" } });
    await screen.until(/Type the PIN and Enter; c and Enter cancels\./);
    type("1234\r");
    await screen.until(/Confirmed/);
    await startPrompt(sandbox);
    await screen.until(/Type the PIN[\s\S]*Type the PIN/);
    type("c\r");
    await screen.until(/the payment is cancelled/);
    type(KEYS.ctrlC);
    expect(await exited).toBe(0);
    expect(screen.text).not.toContain("\x1b");
  });

  test.concurrent("a server that refuses the control token: exit 4, and the variable's name", async () => {
    const { at } = await startIn(newFolder(), { controlToken: "the-token-of-this-sandbox" });
    const { screen, exited } = openMomo(["phone", ...at], { env: { MOMO_CONTROL_TOKEN: "not-the-token-at-all" } });
    expect(await exited).toBe(4);
    expect(screen.text).toContain("send the control token");
    expect(screen.text).toContain("MOMO_CONTROL_TOKEN");
    const allowed = openMomo(["phone", ...at]); // the token of the running server is in its record
    await allowed.screen.until(/Waiting for a prompt/);
  });

  const REFUSED: [what: string, args: string[], env: Record<string, string>, exitCode: number, says: string][] = [
    ["an invalid number", ["12"], {}, 2, "PHONE must be a number such as 0712345678"],
    ["no server", [], {}, 6, "no sandbox is running"],
    ["CI is set", [], { CI: "true" }, 2, "momo phone needs a person at a terminal"],
  ];
  test.concurrent.each(REFUSED)("%s", async (_what, args, env, exitCode, says) => {
    const { screen, exited } = openMomo(["phone", ...args], { env });
    expect(await exited).toBe(exitCode);
    expect(screen.text).toContain(says);
  });
});
