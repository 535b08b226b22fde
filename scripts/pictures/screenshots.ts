import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startSandbox, type TestSandbox } from "stkpush-sandbox/testing";
import { createClient } from "../../test/support/client.ts";
import { launchBrowser } from "../../test/support/needs.ts";
import { openConsole, webpOf } from "./browser.ts";
import { startFlood } from "./flood-client.ts";

/** Makes the pictures of the console in docs: a morning in a shop, and real traffic in both themes. */

const folder = join(import.meta.dir, "../../docs");
const CUSTOMERS = ["0712345678", "0722104455", "0733981207", "0110456321", "0745550192", "0798310044"];
const ORDERS = [250, 1200, 80, 2499.5, 640, 150, 3800];
const OUTCOMES = ["completed", "completed", "completed", "insufficient_funds", "completed", "cancelled", "completed"];
const DESKTOP = { width: 1440, height: 900 };
const DAY_MS = 86_400_000;
/** Twenty past ten in Nairobi. */
const MORNING_MS = (7 * 60 + 20) * 60_000;

// From the sources, so that no picture is of an older console.
process.env.MOMO_EXECUTABLE ??= join(import.meta.dir, "../../bin/momo");
const sandbox = await startSandbox({ frozen: true });
const shop = createClient(sandbox);
await sandbox.clock.advance(`${(DAY_MS + MORNING_MS - (Date.now() % DAY_MS)) % DAY_MS}ms`);
const story = await morning();

await takePicture(sandbox, "console", `transactions/${story}`);
for (const view of ["requests", "audit", "steering"]) await takePicture(sandbox, view, view);
await takePicture(sandbox, "phone", "phone", { width: 390, height: 780 });
await sandbox.stop();

// Real traffic, in real time.
const busy = await startSandbox();
const stopFlood = startFlood(createClient(busy), 2);
await Bun.sleep(40_000);
for (const theme of ["light", "dark"] as const) await takePicture(busy, "traffic", "transactions", DESKTOP, theme);
await stopFlood();
await busy.stop();
process.exit(0);

async function takePicture(
  { baseUrl }: TestSandbox,
  name: string,
  view: string,
  viewport = DESKTOP,
  colorScheme: "light" | "dark" = "light",
): Promise<void> {
  // The pictures show momo's default address.
  const browser = await launchBrowser([`--host-resolver-rules=MAP localhost:2547 127.0.0.1:${new URL(baseUrl).port}`]);
  const page = await openConsole(browser, `http://localhost:2547/_momo/#${view}`, { viewport, colorScheme });
  await page.getByLabel("Enter PIN").fill("12");
  // Until everything is drawn, also the chart and who decides the prompt.
  await Bun.sleep(1500);
  writeFileSync(join(folder, `${name}-${colorScheme}.webp`), await webpOf(page, 60));
  await browser.close();
}

/** @returns the checkout request id of the payment that the pictures show */
async function morning(): Promise<string> {
  for (let order = 0; order < 46; order += 1) {
    const id = await pay(order, OUTCOMES[order % OUTCOMES.length]);
    await poll(id, order % 17 === 4 ? ["2s", "1s"] : ["3s", "3s"]);
    await sandbox.clock.advance(`${(order * 29) % 55}s`);
  }
  await sandbox.rules.add({ match: { phone: "0712345678" }, outcome: "insufficient_funds", after: "7s", times: 1 });
  const told = await pay(48);
  await poll(told, ["3s", "2s", "3s"]);
  await sandbox.clock.advance("18s");
  await sandbox.clock.advance("6s");
  // Mistakes of a client, for the audit: it polls on after the end, sends a number as text, and charges again while pending.
  for (let again = 0; again < 3; again += 1) await poll(told, ["3s"]);
  await shop.post("/stkpush.php", {
    payment_account_id: "1",
    phone: CUSTOMERS[0],
    amount: 80,
    reference: "ORDER-1047",
  });
  await poll(await pay(47), ["4s"]);
  const slow = await pay(46, "completed; after=10s");
  await sandbox.clock.advance("5s");
  await pay(46, "cancelled");
  await poll(slow, ["3s"]);
  await pay(49, "manual");
  await sandbox.clock.advance("11s");
  return told;
}

async function poll(id: string, intervals: readonly string[]): Promise<void> {
  for (const interval of intervals) {
    await sandbox.clock.advance(interval);
    if ((await shop.statusOf(id)) !== "pending") return;
  }
}

function pay(order: number, outcome?: string): Promise<string> {
  const [phone, amount] = [CUSTOMERS[(order * 5) % CUSTOMERS.length], ORDERS[order % ORDERS.length]];
  const description = "Two coffees and a mandazi";
  return shop.pay({ phone, amount, reference: `ORDER-${1000 + order}`, description }, outcome);
}
