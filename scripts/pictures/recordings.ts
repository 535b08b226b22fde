import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isFree } from "../../cli/serving/listen.ts";
import { builtBinary } from "../../test/support/binary.ts";
import { launchBrowser } from "../../test/support/needs.ts";
import { openConsole, webpOf } from "./browser.ts";
import { drawSvg, heightOf, type Shot, type Theme, WIDTH } from "./svg.ts";
import { startRecording } from "./terminal.ts";

/** Makes the moving pictures in docs from the real programs: a first session with the console, a failing test, and the phone. */

const root = join(import.meta.dir, "../..");
const home = mkdtempSync(join(tmpdir(), "momo-recording-"));
const PORT = 2547;
const env = {
  HOME: home,
  PATH: `${dirname(await builtBinary())}:${process.env.PATH}`,
  // Another sandbox may run here.
  MOMO_SERVE_PORT: isFree(PORT) ? String(PORT) : "0",
  npm_config_update_notifier: "false",
};
const WHAT = {
  first: "momo serve starts a sandbox, momo pay starts payments, and the console shows the phone and the payments",
  test: "A test passes, and momo exec --audit says that its client charges a customer twice",
  phone: "momo phone shows prompts: a PIN pays the first one, Escape cancels the second one",
};
const momo = (...words: string[]) =>
  Bun.spawnSync(["momo", ...words], { env })
    .stdout.toString()
    .trim();
const save = (name: string, svg: string) => writeFileSync(join(root, "docs", `${name}.svg`), svg);

const serving = await startRecording(home, env);
await serving.run("momo serve", /Ready\. Ctrl\+C stops\./);
const served: Shot = { title: "a terminal", frames: [...serving.frames], lastMs: 4000 };

const paying = await startRecording(home, env);
await paying.run("momo pay 0712345678 100 --wait");
await paying.run("momo pay 254700000201 250 --wait");
await paying.run("momo list");
const paid: Shot = { title: "another terminal", frames: await paying.end(), lastMs: 2500 };

const phone = await startRecording(home, env);
await phone.run("momo phone 0722000111", /Waiting for a prompt/);
momo("pay", "0722000111", "1200", "--reference", "ORDER-1047", "--description", "Two coffees", "--outcome", "manual");
await phone.until(/left/);
await phone.press("1234\r");
await phone.until(/Confirmed/);
momo("pay", "0722000111", "80", "--reference", "ORDER-1048", "--outcome", "manual");
await phone.until(/ORDER-1048[\s\S]*left/);
await phone.press("\x1b");
await phone.until(/cancelled/);
save("phone", drawSvg([{ title: "momo phone", frames: await phone.end(), lastMs: 3000 }], WHAT.phone));

for (const theme of ["light", "dark"] as const) {
  const shots = [served, paid, await recordConsole(theme)];
  save(`first-session-${theme}`, drawSvg(shots, WHAT.first, theme));
}
await serving.end();

writeShop(home);
const testing = await startRecording(home, env, 44);
await testing.run('momo exec --audit -- npm test; echo "exit code $?"', /exit code \d/);
save("failing-test", drawSvg([{ title: "a shop", frames: await testing.end(), lastMs: 6000 }], WHAT.test));

rmSync(home, { recursive: true, force: true });
process.exit(0);

/** A payment on the console's phone, and the story of the one that failed. */
async function recordConsole(colorScheme: Theme): Promise<Shot> {
  const frames: { atMs: number; picture: string }[] = [];
  const browser = await launchBrowser();
  const viewport = { width: 1200, height: Math.round((1200 * heightOf(24)) / WIDTH) };
  const page = await openConsole(browser, `${momo("open", "--print")}#transactions`, { viewport, colorScheme });
  const shoot = async (atMs: number) => {
    await Bun.sleep(700); // until all is drawn
    frames.push({ atMs, picture: `data:image/webp;base64,${(await webpOf(page, 55)).toString("base64")}` });
  };
  momo("pay", "0712345678", "1200", "--reference", "ORDER-1049", "--outcome", "manual");
  await page.getByLabel("Enter PIN").fill("123");
  await shoot(0);
  await page.getByLabel("Enter PIN").fill("1234");
  await page.keyboard.press("Enter");
  await shoot(1800);
  const id = momo("list", "--status", "failed", "--json").match(/ws_CO_\w+/)?.[0];
  await page.goto(`${page.url().replace(/#.*/, "")}#transactions/${id}`);
  await shoot(3600);
  await browser.close();
  return { title: "the console, in a browser", frames, lastMs: 4000 };
}

/** A shop that sends a second push while the first is pending, and its test, which passes. */
function writeShop(folder: string): void {
  const files = {
    "package.json": '{"type":"module","scripts":{"test":"node --test --test-reporter=spec"}}',
    "shop.js": `
const headers = { "X-API-Key": process.env.MOMO_API_KEY, "X-API-Secret": process.env.MOMO_API_SECRET };
export const call = (path, body) =>
  fetch(process.env.MOMO_BASE_URL + path, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }).then((response) => response.json());
const order = { payment_account_id: 1, phone: "0712345678", amount: 100, reference: "ORDER-1047" };
export async function checkout() {
  await call("/stkpush.php", order); // "no answer yet": try again
  const { checkout_request_id } = await call("/stkpush.php", order);
  for (;;) {
    const { status } = await call("/status.php", { checkout_request_id });
    if (status !== "pending") return status;
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
}
`,
    "shop.test.js": `
import assert from "node:assert";
import { test } from "node:test";
import { checkout } from "./shop.js";
test("a customer buys two coffees", async () => assert.equal(await checkout(), "completed"));
`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
