import { afterAll, expect, test } from "bun:test";
import { describeInBrowser } from "../../support/browser.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { runMomo, runToEnd, serveMomo } from "../../support/momo.ts";

afterAll(cleanUp);

describeInBrowser("the momo commands that the page shows", (scene) => {
  test("are taken by momo, also with names that a shell would read otherwise", async () => {
    const { at, ready, post } = await serveMomo(["--outcome", "manual", "--prompt-timeout", "1h"]);
    const order = { payment_account_id: ready.payment_account_id, phone: "0712345678", amount: 7, reference: "it's 1" };
    const { checkout_request_id: id = "" } = (await (await post("/stkpush.php", order)).json()) as Record<
      string,
      string
    >;
    const page = await scene.open({ url: ready.console_url, view: "about" });
    const lines = new Set<string>();
    for (const view of [`transactions/${id}`, "audit", "keys", "steering"]) {
      await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
      await page.locator(".view .commands, .view [name=label]").first().waitFor();
      for (const field of await page.locator(".view [name=name], .view [name=label]").all())
        await field.fill(view === "keys" ? "it's $new" : "prepared");
      // A group of controls shows the commands of the one that has the focus.
      for (const control of await page.locator(".view .row > button").all()) {
        await control.focus();
        const shown = page.locator(".view .command:has(.label:text-is('momo')) code");
        for (const line of await shown.allTextContents()) lines.add(line);
      }
    }
    expect(lines.size).toBe(12);
    await runMomo(["answer", id, "--pin", "1234", ...at]); // one of them waits for its end
    for (const line of lines) {
      const { exitCode, stderr } = await runToEnd(["sh", "-c", line]);
      expect([line, exitCode, stderr]).toEqual([line, 0, expect.any(String)]);
    }
  });
});
