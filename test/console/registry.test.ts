import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeInBrowser, textOf } from "../support/browser.ts";

describeInBrowser("accounts and keys", (scene) => {
  test("a key is made, its secret shown once; it works until it is revoked", async () => {
    const page = await scene.open({ view: "keys" });
    const keys = page.getByRole("region", { name: "API keys" });
    await keys.getByLabel("Label").fill("staging");
    await keys.getByText("momo keys create --label staging").waitFor();
    await keys.getByRole("button", { name: "Make key" }).click();
    const secret = await textOf(keys.locator("[data-secret]"));
    const row = keys.locator("tr", { hasText: "staging" });
    const key = await textOf(row.locator("code"));
    const ask = () =>
      fetch(`${scene.sandbox.baseUrl}/transactions.php`, { headers: { "X-API-Key": key, "X-API-Secret": secret } });
    expect((await ask()).status).toBe(200);

    await keys.getByRole("button", { name: "I have it" }).click();
    expect(await page.content()).not.toContain(secret);
    const revocation = keys.getByText(`momo keys revoke ${key}`);
    expect(await revocation.count()).toBe(0);
    await row.getByRole("button", { name: "Revoke" }).hover();
    await revocation.waitFor();
    await keys.getByText(`-X DELETE ${scene.sandbox.controlUrl}/keys/${key}`).waitFor();
    await row.getByRole("button", { name: "Revoke" }).click();
    await row.getByRole("button", { name: "Refuse it from now on?" }).click();
    await row.getByText("revoked").waitFor();
    await revocation.waitFor({ state: "detached" });
    expect((await ask()).status).toBe(401);
  });

  test("merchants and accounts with their tariffs; what the API refuses stands next to the field", async () => {
    const page = await scene.open({ view: "keys", expected: /400 \(Bad Request\)/ });
    const accounts = page.getByRole("region", { name: "Payment accounts" });
    await accounts.getByLabel("Name").fill("Till");
    await accounts.getByLabel("Tariff").fill("a lot");
    await accounts.getByRole("button", { name: "Add account" }).click();
    await accounts.getByText("fee: it is not a tariff").waitFor();
    await accounts.getByLabel("Tariff").fill("1.5%+10");
    await accounts.getByRole("button", { name: "Add account" }).click();
    await accounts.locator("tr", { hasText: "Till" }).getByText("1.5%+10").waitFor();

    const merchants = page.getByRole("region", { name: "Merchants" });
    await merchants.getByLabel("Name").fill("<b>Corner</b> Shop");
    await merchants.getByRole("button", { name: "Add merchant" }).click();
    await merchants.getByLabel("<b>Corner</b> Shop").check();
    await page.getByRole("region", { name: "API keys" }).getByText("0", { exact: true }).waitFor();
  });
});

/** How each language runs a file; PHP and Python may not be here. */
const RUNNERS = { curl: "bash", TypeScript: process.execPath, PHP: "php", Python: "python3" } as const;

/** The snippets ask every 3 seconds; here nobody waits so long. */
const hasten = (text: string) =>
  text
    .replace(", 3000)", ", 20)")
    .replace("sleep 3", "sleep 0.02")
    .replace(/(?<!\.)sleep\(3\)/, "usleep(20000)")
    .replace("time.sleep(3)", "time.sleep(0.02)");

describeInBrowser("snippets to start with", (scene) => {
  test("each is filled in with this server's address and key, and runs as it stands there", async () => {
    const page = await scene.open({ view: "start" });
    await scene.sandbox.rules.add({ outcome: "completed", after: "10ms" });
    await scene.sandbox.clock.resume();
    const folder = mkdtempSync(join(tmpdir(), "momo-test-"));
    const runs: Promise<void>[] = [];
    for (const [language, program] of Object.entries(RUNNERS)) {
      await page.getByRole("radio", { name: language }).check({ force: true });
      const text = await textOf(page.locator(".start .code pre"));
      expect(text).toContain(scene.sandbox.baseUrl);
      expect(text).toContain(scene.sandbox.apiKey);
      expect(text).not.toContain("__");
      if (Bun.which(program) === null) continue;
      const file = join(folder, `payment-${language}.${language === "TypeScript" ? "ts" : "txt"}`);
      writeFileSync(file, hasten(text));
      runs.push(run(language, [program, file]));
    }
    expect(runs.length).toBeGreaterThanOrEqual(2);
    await Promise.all(runs);
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(language: string, command: readonly string[]): Promise<void> {
    const child = Bun.spawn([...command], {
      env: { PATH: process.env.PATH ?? "", HOME: tmpdir(), MOMO_API_SECRET: scene.sandbox.apiSecret },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect({ language, stdout, stderr }).toEqual({ language, stdout: "completed\n", stderr: "" });
  }
});
