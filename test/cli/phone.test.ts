import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { runMomo, type Served, serveMomo } from "../support/momo.ts";
import { KEYS, openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

const order = { payment_account_id: 1, phone: "0712345678", amount: 1200, reference: "REF", description: "Two shoes" };

async function pay(server: Served, changes: object = {}): Promise<string> {
  const answer = await server.post("/stkpush.php", { ...order, ...changes }, { "X-Sandbox-Outcome": "manual" });
  return ((await answer.json()) as { checkout_request_id: string }).checkout_request_id;
}

async function statusOf(server: Served, id: string): Promise<unknown> {
  const answer = await server.post("/status.php", { checkout_request_id: id });
  return ((await answer.json()) as { status: string }).status;
}

const answer = (server: Served, id: string, outcome: string) =>
  runMomo(["answer", id, "--outcome", outcome, "-q", ...server.at]);

describe("at a terminal", () => {
  test.concurrent("a prompt arrives, the digits go straight into the PIN, the text message is shown", async () => {
    const server = await serveMomo();
    const { screen, type, exited } = openMomo(["phone", "0712345678", ...server.at]);
    await screen.until(/Waiting for a prompt/);
    const id = await pay(server);
    await screen.until(/Demo Shop asks 254712345678.*Pay Ksh1,200\.00 for account REF.*Two shoes/s);
    await screen.until(/M-PIN.*left/);
    type(`12${KEYS.backspace}234${KEYS.enter}`);
    await screen.until(/[0-9A-Z]{10} Confirmed\. Ksh1,200\.00 sent to Demo Shop for account REF on /);
    expect(await statusOf(server, id)).toBe("completed");
    // The digits of a PIN are nobody's to read.
    expect(screen.text).not.toContain("1234 ");
    type(KEYS.ctrlC);
    expect(await exited).toBe(0);
  });

  test.concurrent("a PIN of three digits is not sent; a wrong one says why: wrong PIN (2001)", async () => {
    const server = await serveMomo();
    const id = await pay(server);
    const { screen, type } = openMomo(["phone", ...server.at]);
    await screen.until(/M-PIN/);
    type(`000${KEYS.enter}`);
    await screen.until(/4 to 6 digits; 0000 is the wrong one/);
    type(`0${KEYS.enter}`);
    await screen.until(/the payment is failed: wrong PIN \(2001\)/);
    expect(await statusOf(server, id)).toBe("failed");
  });

  test.concurrent("Escape cancels the prompt, an arrow does not", async () => {
    const server = await serveMomo();
    const id = await pay(server);
    const { screen, type } = openMomo(["phone", ...server.at]);
    await screen.until(/M-PIN/);
    type(KEYS.down);
    type("12");
    await screen.until(/M-PIN ••/);
    expect(await statusOf(server, id)).toBe("pending");
    type(KEYS.escape);
    await screen.until(/the payment is cancelled/);
    expect(await statusOf(server, id)).toBe("cancelled");
    await screen.until(/Waiting for a prompt/);
  });

  test.concurrent("an answer from elsewhere is one line, and the next prompt comes", async () => {
    const server = await serveMomo();
    const first = await pay(server);
    const { screen, type } = openMomo(["phone", ...server.at]);
    await screen.until(/M-PIN/);
    await answer(server, first, "wrong_pin");
    await screen.until(/Too late: the payment is failed, wrong PIN \(2001\)\./);
    const second = await pay(server, { amount: 77 });
    await screen.until(/Pay Ksh77\.00/);
    type("12");
    await screen.until(/M-PIN ••/);
    await answer(server, second, "cancelled");
    await screen.until(/Too late: the payment is cancelled\./);
  });

  test.concurrent("a reset, and an expiry while somebody types, are one line", async () => {
    const server = await serveMomo();
    await pay(server);
    const { screen, type } = openMomo(["phone", ...server.at]);
    await screen.until(/M-PIN/);
    await runMomo(["reset", ...server.at]);
    await screen.until(/That prompt is gone\./);
    await pay(server, { amount: 88 });
    await screen.until(/Pay Ksh88\.00[\s\S]*M-PIN/);
    type("12");
    await screen.until(/M-PIN ••/);
    await runMomo(["clock", "advance", "61s", ...server.at]);
    await screen.until(/The prompt has expired/);
  });

  test.concurrent("it lives on when its server is restarted, also on another port", async () => {
    const server = await serveMomo();
    await pay(server);
    const { screen, type, exited } = openMomo(["phone", ...server.at]);
    await screen.until(/M-PIN/);
    await server.kill();
    await screen.until(/That prompt is gone: the server has gone\./);
    const again = await serveMomo([...server.at]);
    // The prompt is on disk, and open as before.
    await screen.until(/gone[\s\S]*Pay Ksh1,200\.00[\s\S]*M-PIN/);
    await pay(again, { amount: 99 });
    type(`1234${KEYS.enter}`);
    await screen.until(/Confirmed[\s\S]*Pay Ksh99\.00/);
    type(KEYS.ctrlC);
    expect(await exited).toBe(0);
  });

  test.concurrent("several prompts: which of how many, how long each lives, and what comes next", async () => {
    const server = await serveMomo();
    await pay(server, { phone: "0722000000", amount: 11 });
    await pay(server, { amount: 22 });
    await pay(server, { amount: 33 });
    await pay(server, { amount: 44 });
    const { screen } = openMomo(["phone", "+254", "712", "345678", ...server.at]);
    await screen.until(/1 of 3: Demo Shop asks 254712345678, [01]:\d\d left[\s\S]*Pay Ksh22\.00/);
    await screen.until(/Next: Ksh33\.00 for Demo Shop, [01]:\d\d left/);
    expect(screen.text).not.toContain("Ksh11.00");
  });

  test.concurrent("Ctrl+C switches it off while it waits, and while a prompt is open; the prompt stays open", async () => {
    const server = await serveMomo();
    const waiting = openMomo(["phone", ...server.at]);
    await waiting.screen.until(/Waiting for a prompt/);
    waiting.type(KEYS.ctrlC);
    expect(await waiting.exited).toBe(0);
    const id = await pay(server);
    const open = openMomo(["phone", ...server.at]);
    await open.screen.until(/M-PIN/);
    open.type(`12${KEYS.ctrlC}`);
    expect(await open.exited).toBe(0);
    for (const { screen } of [waiting, open]) expect(screen.text).toEndWith("Switched off.\r\n");
    expect(await statusOf(server, id)).toBe("pending");
  });

  test.concurrent("TERM=dumb: plain lines, nothing is drawn again", async () => {
    const server = await serveMomo();
    const id = await pay(server);
    const { screen, type, exited } = openMomo(["phone", ...server.at], { env: { TERM: "dumb" } });
    await screen.until(/Type the PIN and Enter; c and Enter cancels\./);
    type("1234\r");
    await screen.until(/Confirmed/);
    expect(await statusOf(server, id)).toBe("completed");
    const second = await pay(server);
    await screen.until(/Type the PIN[\s\S]*Type the PIN/);
    type("c\r");
    await screen.until(/the payment is cancelled/);
    expect(await statusOf(server, second)).toBe("cancelled");
    type(KEYS.ctrlC);
    expect(await exited).toBe(0);
    expect(screen.text).not.toContain("\x1b");
  });

  test.concurrent("no number of a phone: exit 2; no server: exit 6", async () => {
    const wrong = openMomo(["phone", "12"]);
    expect(await wrong.exited).toBe(2);
    expect(wrong.screen.text).toContain("PHONE must be a number such as 0712345678");
    expect(await openMomo(["phone"]).exited).toBe(6);
  });

  test.concurrent("a server that refuses the control token is there, and says what it wants: exit 4", async () => {
    const { at } = await serveMomo(["--host", "0.0.0.0"]);
    const { screen, exited } = openMomo(["phone", ...at], { env: { MOMO_CONTROL_TOKEN: "not-the-token-at-all" } });
    expect(await exited).toBe(4);
    expect(screen.text).toContain("send the control token");
    expect(screen.text).toContain("MOMO_CONTROL_TOKEN");
  });
});

test.concurrent("never where `CI` is set: exit 2, though there is a terminal", async () => {
  const { screen, exited } = openMomo(["phone"], { env: { CI: "true" } });
  expect(await exited).toBe(2);
  expect(screen.text).toContain("momo phone needs a person at a terminal");
});

test.concurrent("not a terminal: exit 2, and what scripts use", async () => {
  expect(await runMomo(["phone"])).toEqual({
    stdout: "",
    stderr: "momo: momo phone needs a person at a terminal\n      scripts use momo answer\n",
    exitCode: 2,
  });
});
