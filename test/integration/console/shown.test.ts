import { afterEach, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describeInBrowser } from "../../support/browser.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { createSameText, startSame } from "../../support/sandbox.ts";
import { PATIENCE_MS } from "../../support/waiting.ts";

/**
 * What the page shows, word for word, with roles, names and states as a screen reader gets them. A file of `shown` has a story:
 * what was done, and the part of the page that was asked for. MOMO_TEST_RECORD=1 writes the files again: read them.
 */

afterEach(cleanUp);

type Same = Awaited<ReturnType<typeof startSame>>;

interface Told {
  readonly sandbox: Same;
  /** Opens a place of the page, or another one. */
  open(view: string): Promise<Page>;
  /** Compares what is shown there with the file. */
  shows(title: string, selector?: string): Promise<void>;
}

/** After this time without a change, the page has settled. */
const SETTLED_MS = 5000;

const SCREEN = { width: 1700, height: 1000 };

function tell(name: string, run: (told: Told) => Promise<void>): void {
  describeInBrowser("the page shows, word for word:", (scene) => {
    test(name, async () => {
      const sandbox = await startSame();
      const file = join(import.meta.dir, "shown", `${name.replaceAll(" ", "-")}.txt`);
      const isRecording = process.env.MOMO_TEST_RECORD !== undefined;
      const known = existsSync(file) ? readFileSync(file, "utf8").split(/^# /m).slice(1) : [];
      const parts: string[] = [];
      let page: Page | undefined;
      await run({
        sandbox,
        async open(view) {
          const url = `${sandbox.controlUrl}/`;
          if (page) await page.goto(`${url}#${view}`);
          else
            page = await scene.open({ url, view, viewport: SCREEN, expected: /40[04] \((?:Bad Request|Not Found)\)/ });
          return page;
        },
        async shows(title, selector = "main") {
          const part = known[parts.length] ?? "";
          const read = async () => {
            const text = await page?.locator(selector).first().ariaSnapshot();
            return `${title}\n\n${shortened(createSameText(sandbox.data)(text ?? ""))}\n\n`;
          };
          parts.push(await settled(read, isRecording ? null : part));
          if (!isRecording) expect(parts.at(-1)?.split("\n")).toEqual(part.split("\n"));
        },
      });
      if (isRecording) writeFileSync(file, parts.map((part) => `# ${part}`).join(""));
      else expect(known).toHaveLength(parts.length);
      await sandbox.stop();
    });
  });
}

/** What is shown when it is as expected, or does not change any more. */
async function settled(read: () => Promise<string>, expected: string | null): Promise<string> {
  const lateAtMs = performance.now() + PATIENCE_MS;
  let [shown, sinceMs] = ["", performance.now()];
  for (;;) {
    const now = await read();
    const nowMs = performance.now();
    if (now !== shown) [shown, sinceMs] = [now, nowMs];
    if (shown === expected || nowMs - sinceMs > SETTLED_MS || nowMs > lateAtMs) return shown;
    await Bun.sleep(30);
  }
}

/** Without the times that requests took, and without cells whose text stands in the name of their row. */
const shortened = (text: string): string =>
  text
    .replaceAll(/^ *- (?:cell|columnheader)(?: "[^"\n]*")?\n/gm, "")
    .replaceAll(/(?<=took |cell ")\d[\d.]* (?:ms|s)\b/g, "TIME")
    .replaceAll(/(?<=^ *- row ".*) \d[\d.]* (?:ms|s)(?= [a-z ,]*":$|":)/gm, " TIME");

/** Payments with each kind of end, and one that waits; their ids. */
async function payAll({ pay, control }: Same): Promise<string[]> {
  const ids: string[] = [];
  for (const outcome of ["completed", "insufficient_funds", "cancelled", "expired", "pin_locked"]) {
    const amount = 100.5 + ids.length;
    const order = { phone: `25471200000${ids.length}`, amount, reference: `ORDER-${ids.length}`, description: "Shoes" };
    ids.push(await pay(order, outcome));
  }
  await control("POST", "/clock", { advance: "61s" });
  ids.push(await pay({ reference: "LATE", amount: 1_234_567.89 }, "manual"));
  return ids;
}

const PAYMENTS = "[aria-label=Payments]";
const STORY = "[aria-label='Story of a payment']";
const PHONES = "[aria-label=Phones]";
const CARDS = ".view";

tell("payments", async ({ sandbox, open, shows }) => {
  const page = await open("transactions");
  await shows("nothing yet", "body");
  await payAll(sandbox);
  await sandbox.control("POST", "/payments", { payment_account_id: 1, phone: "0712345678", amount: 7, kind: "web" });
  await shows("one of each end", PAYMENTS);
  await page.getByRole("button", { name: "Finished only" }).click();
  await shows("finished ones", PAYMENTS);
  await page.getByRole("button", { name: /^Cancelled/ }).click();
  await page.getByLabel("Search").fill("nothing");
  await shows("cancelled, and with a text that none has", PAYMENTS);
});

tell("stories", async ({ sandbox, open, shows }) => {
  const { pay, control, statusOf } = sandbox;
  await control("PUT", "/webhook", { url: "http://127.0.0.1:9/hook", times: 1 });
  const paid = await pay({ reference: "ORDER-1", description: "Shoes" }, "completed; after=10s");
  for (const wait of ["1s", "4s", "7s", "1s"]) {
    await control("POST", "/clock", { advance: wait });
    await statusOf(paid);
  }
  const others = await payAll(sandbox);
  for (const [index, id] of [paid, ...others].entries()) {
    await open(`transactions/${encodeURIComponent(id)}`);
    await shows(index === 0 ? "paid, with polls and a webhook" : `the end of ORDER-${index - 1}`, STORY);
  }
  await open("transactions/ws_CO_unknown");
  await shows("a payment that does not exist", STORY);
});

tell("requests", async ({ sandbox, open, shows }) => {
  const [first = ""] = await payAll(sandbox);
  await sandbox.statusOf(first);
  await fetch(`${sandbox.baseUrl}/stkpush.php`, { method: "POST", headers: sandbox.headers, body: '{"amount":"1"}' });
  await fetch(`${sandbox.baseUrl}/status.php?x=1`);
  await sandbox.list("?status=failed&limit=2");
  await open("requests");
  await shows("the log", "[aria-label=Requests]");
  for (const [id, what] of [
    [1, "a start"],
    [8, "a refused start"],
    [9, "another method, without a key"],
    [10, "a list"],
  ] as const) {
    await open(`requests/${id}`);
    await shows(what, "[aria-label='One request']");
  }
});

tell("the audit", async ({ sandbox, open, shows }) => {
  const page = await open("audit");
  await shows("before the first request", CARDS);
  const [first = ""] = await payAll(sandbox);
  for (let poll = 0; poll < 3; poll += 1) await sandbox.statusOf(first);
  await fetch(`${sandbox.baseUrl}/status.php`);
  await shows("its findings", CARDS);
  await page.getByRole("button", { name: /known/i }).first().click();
  await shows("one of them is known", CARDS);
});

tell("steering", async ({ sandbox: { control, pay }, open, shows }) => {
  const page = await open("steering");
  await shows("as new", CARDS);
  await control("PUT", "/rules", {
    rules: [
      { match: { amount: 5, phone: "0712345678" }, outcome: "wrong_pin", after: "5s", times: 2 },
      { match: {}, outcome: "cancelled" },
      { match: { reference: "A" }, outcome: "expired" },
    ],
  });
  await control("PUT", "/faults", {
    seed: 7,
    faults: [
      { path: "/status.php", kind: "error", status: 503, probability: 0.21, times: 4 },
      { kind: "delay", delay: "5s" },
    ],
  });
  await control("PUT", "/default", { outcome: "expired" });
  await control("PUT", "/webhook", {
    url: "http://127.0.0.1:9/hook",
    form: "flat",
    times: 2,
  });
  await pay({ amount: 7 }, "completed");
  await control("POST", "/clock", { advance: "4s" });
  await control("PUT", "/snapshots/prepared", {});
  await open("start");
  await open("steering");
  await shows("with everything set", CARDS);
  for (const details of await page.getByText("The same by command").all()) await details.click();
  await shows("the same by command", CARDS);
  await shows("what is unusual", "header");
});

tell("accounts and keys", async ({ sandbox: { control }, open, shows }) => {
  await control("POST", "/merchants", { name: "Duka" });
  await control("POST", "/accounts", { merchant_id: 1, name: "Till", fee: "1.5%+10" });
  const page = await open("keys");
  await shows("of the first merchant", CARDS);
  await page
    .getByRole("button", { name: /^(?:Make|New|Add|Issue).*key/i })
    .first()
    .click();
  await shows("a new key", CARDS);
});

tell("the start", async ({ sandbox, open, shows }) => {
  const page = await open("start");
  await shows("before the first payment", CARDS);
  for (const language of ["TypeScript", "PHP", "Python"]) {
    await page
      .getByRole("tab", { name: language })
      .or(page.getByRole("button", { name: language }))
      .first()
      .click();
    await shows(language, "pre");
  }
  await sandbox.pay({ reference: "ORDER-1" });
  await shows("after the first payment", CARDS);
});

tell("a test payment", async ({ open, shows }) => {
  const page = await open("transactions");
  await page.keyboard.press("p");
  await page.getByRole("dialog").getByRole("button", { name: "More" }).click();
  await shows("its form", "dialog[open]");
  await page.getByLabel("Amount, KES").fill("0");
  await page.getByLabel("Phone", { exact: true }).fill("12");
  await page.getByText("The same by command").click();
  await page.getByRole("button", { name: "Send the prompt" }).click();
  await shows("what is refused of it", "dialog[open]");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await shows("the shortcuts", "dialog[open]");
});

tell("the phone", async ({ sandbox: { pay, control }, open, shows }) => {
  const page = await open("transactions");
  await pay({ reference: "ORDER-1", description: "Shoes" }, "manual");
  await pay({ reference: "ORDER-2" }, "manual");
  await pay({ reference: "ORDER-3", phone: "0722000000", amount: 7 }, "expired");
  await control("POST", "/clock", { advance: "1s" });
  await shows("three prompts on two phones", PHONES);
  await page.locator("input.pin").first().fill("0000");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await shows("a PIN was entered for the first", PHONES);
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await control("POST", "/clock", { advance: "60s" });
  await shows("all have ended", PHONES);
  await shows("their payments", PAYMENTS);
});
