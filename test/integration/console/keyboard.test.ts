import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { askStatus, describeInBrowser, startPayment, storyOf, textOf } from "../../support/browser.ts";

/** The name of the element that has the focus. */
const focused = (page: Page) =>
  page.evaluate(`(() => {
    const { activeElement: one } = document;
    return one.getAttribute("aria-label") ?? one.labels?.[0]?.innerText ?? one.innerText;
  })()`) as Promise<string>;

/** Presses Tab until the element with this name has the focus. Returns how often. */
async function tabTo(page: Page, name: string, most = 60): Promise<number> {
  for (let stops = 1; stops <= most; stops += 1) {
    await page.keyboard.press("Tab");
    if ((await focused(page))?.startsWith(name)) return stops;
  }
  throw new Error(`Tab does not lead to ${name}`);
}

describeInBrowser("the keyboard alone", (scene) => {
  test("starts a payment, answers its prompt, opens its story, sends it again and makes a rule of it", async () => {
    const page = await scene.open();
    await page.getByText("No payments yet").waitFor();

    // The first field of the dialog has the focus, and Escape gives the focus back.
    await tabTo(page, "Help and shortcuts");
    await page.keyboard.press("p");
    await page.getByRole("dialog", { name: "Test payment" }).waitFor();
    expect(await focused(page)).toBe("Phone");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("Help and shortcuts");
    await page.keyboard.press("p");
    await page.getByRole("dialog", { name: "Test payment" }).waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("0722000001");
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "Phone 0722 000 001" }).getByLabel("Enter PIN").waitFor();

    // Digits are typed into the open prompt, and Enter sends the PIN.
    await page.keyboard.type("0000");
    await page.keyboard.press("Enter");
    await page.getByText("The PIN was wrong.").waitFor();

    // Arrows go from row to row, Enter opens the story, Escape goes back to the row.
    await page.locator("tbody.rows tr", { hasText: "failed" }).waitFor();
    await page.locator("section.scroll").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const story = storyOf(page);
    await story.getByText("A test payment: a person started it here").waitFor();
    await tabTo(page, "Send again");
    await page.keyboard.press("Enter");
    await story.getByText("pending", { exact: true }).first().waitFor();
    // The row is there as soon as the story, so that the focus can go back to it.
    expect(await page.locator("[data-row]").count()).toBe(2);
    await tabTo(page, "Make a rule of it");
    await page.keyboard.press("Escape");
    await story.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.dataset.row")).toStartWith("ws_CO_");

    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await story.getByText("failed", { exact: true }).first().waitFor();
    await tabTo(page, "Make a rule of it");
    await page.keyboard.press("Enter");
    await tabTo(page, "Add rule");
    await page.keyboard.press("Enter");
    await page.getByText("KES 1,200.00 from 0722 000 001 for ORDER-1: wrong_pin, once").waitFor();
  });

  test("reaches the views with at most eleven presses of Tab, whatever is in force", async () => {
    await scene.sandbox.rules.add({ outcome: "cancelled" });
    for (const phone of ["0711000001", "0711000002", "0711000003"]) await startPayment(scene.sandbox, { phone });
    const page = await scene.open();
    await page.getByRole("link", { name: /1 rule/ }).waitFor();
    expect(await tabTo(page, "Payments")).toBeLessThanOrEqual(11);
    for (const view of ["Requests", "Audit", "Steering", "Accounts & keys", "Get started"]) await tabTo(page, view, 1);
    await page.getByRole("button", { name: "Skip to the view" }).press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("view");
    await tabTo(page, "Outcomes over time");
    await page.keyboard.press("Tab");
    expect(String(await focused(page))).not.toStartWith("Outcomes over time");
  });

  test("/ goes to the search and ? shows the shortcuts, but not while a text is typed", async () => {
    const page = await scene.open({ view: "requests", viewport: { width: 1700, height: 900 } });
    await page.getByText("No requests yet").waitFor();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Shortcuts" });
    for (const words of ["search", "start a test payment", "the next row"])
      await help.getByText(words).first().waitFor();
    for (const key of "p/1") await page.keyboard.press(key); // nothing happens below an open dialog
    expect(await page.getByRole("dialog").count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await focused(page)).not.toBe("Search");
    // Shortcuts of the browser are not ours; a check box and a radio button take no text, but a choice does.
    for (const keys of ["Alt+p", "Control+p", "Meta+p"]) await page.keyboard.press(keys);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByLabel("Method").focus();
    await page.keyboard.press("p");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("checkbox", { name: "I answer the next prompts" }).focus();
    await page.keyboard.press("p");
    await page.getByRole("dialog", { name: "Test payment" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    expect(page.url()).toContain("#requests");
    await page.keyboard.type("p?/1");
    expect(await page.getByLabel("Search").inputValue()).toBe("p?/1");
    await page.keyboard.press("Escape");
  });

  test("/, words and Enter open the first hit, ↓ goes to it, Escape goes back to the row and the search", async () => {
    for (const reference of ["APPLE-1", "PEAR-2", "APPLE-3", "PLUM-4"])
      await startPayment(scene.sandbox, { reference });
    const page = await scene.open({ view: "steering" });
    await page.getByText("Removes payments").waitFor();
    await page.keyboard.press("/");
    await page.getByText("of 4 payments").waitFor();
    await page.keyboard.type("app");
    await page.keyboard.press("Enter");
    await storyOf(page).getByText("APPLE-3", { exact: true }).first().waitFor();
    await page.keyboard.press("Escape");
    await storyOf(page).waitFor({ state: "detached" });
    for (const [key, reference] of Object.entries({ ArrowDown: "APPLE-1", ArrowUp: "APPLE-3" })) {
      await page.keyboard.press(key);
      expect(await textOf(page.locator("tr:focus-within"))).toContain(reference);
    }
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await storyOf(page).getByText("APPLE-1", { exact: true }).first().waitFor();
    await page.keyboard.press("Escape");
    await storyOf(page).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("Search");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("pear");
    await page.keyboard.press("ArrowDown");
    await page.locator("tr:focus-within", { hasText: "PEAR-2" }).waitFor();
    await page.keyboard.press("Enter");
    await storyOf(page).getByText("PEAR-2", { exact: true }).first().waitFor();
  });

  test("ends a prompt with any outcome, and resets the sandbox after a question", async () => {
    const id = await startPayment(scene.sandbox);
    const page = await scene.open({ view: "steering" });
    await page.getByLabel("How the prompt ends").focus();
    // One letter: a browser forgets the letters before if the next one is late.
    await page.keyboard.press("u");
    await tabTo(page, "End prompt", 1);
    await page.keyboard.press("Enter");
    await page.getByText("Your phone could not be reached in time.").waitFor();
    expect(await askStatus(scene.sandbox, id)).toBe("failed");

    await page.getByRole("button", { name: "Reset …" }).focus();
    await page.keyboard.press("Enter");
    const question = page.getByRole("dialog", { name: "Forget it all?" });
    await question.getByText("Lost for good: 1 payment, ").waitFor();
    expect(await focused(page)).toBe("Keep everything");
    await question.locator(".danger:enabled").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    // The phone is reset, too.
    await page.getByText("Your phone could not be reached in time.").waitFor({ state: "detached" });
    expect((await scene.sandbox.requests()).length).toBe(0);
  });
});
