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
  test.concurrent("a prompt arrives, the PIN is entered, the text message is shown", async () => {
    const server = await serveMomo();
    const { screen, type, exited } = openMomo(["phone", "0712345678", ...server.at]);
    await screen.until(/Waiting for a prompt/);
    const id = await pay(server);
    await screen.until(/Demo Shop asks 254712345678.*Pay Ksh1,200\.00.*for account REF.*Two shoes/s);
    await screen.until(/Enter the PIN/);
    type(KEYS.enter);
    await screen.until(/M-PIN/);
    type(`1234${KEYS.enter}`);
    await screen.until(/[0-9A-Z]{10} Confirmed\. Ksh1,200\.00 sent to Demo Shop for account REF on /);
    expect(await statusOf(server, id)).toBe("completed");
    // The digits of a PIN are nobody's to read.
    expect(screen.text).not.toContain("1234\r");
    type(KEYS.ctrlC);
    expect([0, 130]).toContain(await exited);
  });

  test.concurrent("a PIN of three digits is asked for again", async () => {
    const server = await serveMomo();
    const id = await pay(server);
    const { screen, type } = openMomo(["phone", ...server.at]);
    await screen.until(/What do you do\?/);
    type(KEYS.enter);
    await screen.until(/M-PIN/);
    type(`123${KEYS.enter}`);
    await screen.until(/4 to 6 digits; 0000 is the wrong one/);
    type(`4${KEYS.enter}`);
    await screen.until(/Confirmed/);
    expect(await statusOf(server, id)).toBe("completed");
  });

  test.concurrent("cancel", async () => {
    const server = await serveMomo();
    const id = await pay(server);
    const { screen, type } = openMomo(["phone", ...server.at]);
    await screen.until(/Enter the PIN.*Cancel/s);
    type(KEYS.down);
    type(KEYS.enter);
    await screen.until(/the payment is cancelled/);
    expect(await statusOf(server, id)).toBe("cancelled");
    await screen.until(/Waiting for a prompt/);
  });

  test.concurrent("answered elsewhere: it is told Too late, and the next prompt comes", async () => {
    const server = await serveMomo();
    const first = await pay(server);
    const { screen, type } = openMomo(["phone", ...server.at]);
    await screen.until(/What do you do\?/);
    await answer(server, first, "wrong_pin");
    await screen.until(/Too late: the payment is failed\./);
    const second = await pay(server, { amount: 77 });
    await screen.until(/Pay Ksh77\.00/);
    await screen.until(/(?:What do you do\?.*){2}Enter the PIN/s);
    type(KEYS.enter);
    await screen.until(/M-PIN/);
    await answer(server, second, "cancelled");
    await screen.until(/Too late: the payment is cancelled\./);
  });

  test.concurrent("only the prompts of its number, in either shape; the oldest first", async () => {
    const server = await serveMomo();
    await pay(server, { phone: "0722000000", amount: 11 });
    await pay(server, { amount: 22 });
    await pay(server, { amount: 33 });
    const { screen } = openMomo(["phone", "+254", "712", "345678", ...server.at]);
    await screen.until(/What do you do\?/);
    expect(screen.text).toContain("Ksh22.00");
    expect(screen.text).not.toMatch(/Ksh(?:11|33)\.00/);
  });

  test.concurrent("Ctrl+C switches it off while it waits, and while a prompt is open; the prompt stays open", async () => {
    const server = await serveMomo();
    const waiting = openMomo(["phone", ...server.at]);
    await waiting.screen.until(/Waiting for a prompt/);
    waiting.type(KEYS.ctrlC);
    expect([0, 130]).toContain(await waiting.exited);
    const id = await pay(server);
    const open = openMomo(["phone", ...server.at]);
    await open.screen.until(/What do you do\?/);
    open.type(KEYS.ctrlC);
    expect(await open.exited).toBe(0);
    expect(open.screen.text).toContain("Switched off.");
    expect(await statusOf(server, id)).toBe("pending");
  });

  for (const [when, order] of [
    ["while it waits", null],
    ["while a prompt is open", {}],
  ] as const) {
    test.concurrent(`the server ends ${when}: it says so in a line, exit 6`, async () => {
      const server = await serveMomo();
      if (order) await pay(server, order);
      const { screen, exited } = openMomo(["phone", ...server.at]);
      await screen.until(order ? /What do you do\?/ : /Waiting for a prompt/);
      await server.kill();
      expect(await exited).toBe(6);
      expect(screen.text).toMatch(/momo: (?:the server has gone|nothing answers|http\S+ closed the connection)/);
      expect(screen.text).not.toMatch(/ECONNRESET|\.ts\b/);
    });
  }

  test.concurrent("what a merchant wrote cannot steer the terminal", async () => {
    const server = await serveMomo();
    await pay(server, { reference: "\x1b]0;owned\x07\x1b[2Jx", description: "\x1b[31mred" });
    const { screen } = openMomo(["phone", ...server.at]);
    await screen.until(/What do you do\?/);
    expect(screen.text).not.toContain("\x1b]0;owned");
    expect(screen.text).not.toContain("\x1b[2J");
    expect(screen.text).not.toContain("\x1b[31mred");
  });

  test.concurrent("no number of a phone: exit 2; no server: exit 6", async () => {
    const wrong = openMomo(["phone", "12"]);
    expect(await wrong.exited).toBe(2);
    expect(wrong.screen.text).toContain("phone must be a string of 254");
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
