import { expect, test } from "bun:test";
import { describeInBrowser, startPayment } from "../../support/browser.ts";

describeInBrowser("able to act", (scene) => {
  test("from a story: it is waited for, and the story says who started it", async () => {
    const id = await startPayment(scene.sandbox, { reference: "APPLE-1" });
    const page = await scene.open({ view: `transactions/${id}` });
    const story = page.getByRole("region", { name: "Story of a payment" });
    await story.getByRole("button", { name: "Wait for it" }).click();
    await story.getByText("Waiting …").waitFor();
    await scene.sandbox.answer(id, { pin: "1234" });
    await story.getByText("It is completed.").waitFor();
    await story.getByRole("img", { name: /0 polls in .*, completed after/ }).waitFor();

    await story.getByRole("button", { name: "Send again" }).click();
    await story.getByText("A test payment: a person started it here, in the console.").waitFor();
    const { transactions } = (await (await fetch(`${scene.sandbox.controlUrl}/transactions`)).json()) as {
      transactions: object[];
    };
    expect(transactions).toMatchObject([
      { reference: "APPLE-1", status: "pending" },
      { reference: "APPLE-1", status: "completed" },
    ]);
  });

  test("a reset leaves no old story behind", async () => {
    const id = await startPayment(scene.sandbox, { reference: "APPLE-1" });
    const page = await scene.open({ view: `transactions/${id}`, expected: /404/ });
    const story = page.getByRole("region", { name: "Story of a payment" });
    await story.getByText("APPLE-1").first().waitFor();
    await scene.sandbox.reset();
    await story.getByText("there is no payment with this checkout request id").waitFor();
    expect(await story.getByText("APPLE-1").count()).toBe(0);
  });

  test("a request is sent again with the sandbox's key", async () => {
    await startPayment(scene.sandbox, { reference: "APPLE-1" });
    const [call] = await scene.sandbox.requests();
    const page = await scene.open({ view: `requests/${call?.id}`, viewport: { width: 1700, height: 900 } });
    await page.getByRole("region", { name: "One request" }).getByRole("button", { name: "Send again" }).click();
    const rows = page.locator("tbody.rows tr");
    await rows.nth(1).waitFor();
    await rows.first().click();
    await page.getByText("sent again from the console, as").waitFor();
    await page.getByRole("link", { name: `request ${call?.id}` }).click();
    expect(page.url()).toEndWith(`#requests/${call?.id}`);
  });

  test("a space within a typed text stays, in a rule and in a search", async () => {
    const page = await scene.open({ view: "steering" });
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByLabel("Reference").pressSequentially("ORDER 12");
    await rules.getByRole("button", { name: "Add rule" }).click();
    await rules.getByText("for ORDER 12: insufficient_funds").waitFor();

    await page.getByRole("link", { name: "Payments" }).click();
    await page.getByLabel("Search").pressSequentially("ORDER 12");
    expect(await page.getByLabel("Search").inputValue()).toBe("ORDER 12");
  });

  test("presets are appended, say that, and can be undone; a rule that cannot be reached is said", async () => {
    await scene.sandbox.rules.add({ outcome: "unreachable" });
    const page = await scene.open({ view: "steering" });
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByText("every payment: unreachable").waitFor();
    await rules.getByRole("button", { name: "Fails twice, then succeeds" }).click();
    await rules.getByText("3 rules appended").waitFor();
    await rules.getByText("never reached: rule 1 takes all that it matches").nth(2).waitFor();
    await rules.getByRole("button", { name: "Undo" }).click();
    await rules.getByText("never reached").first().waitFor({ state: "detached" });
    await rules.getByText("every payment: unreachable").waitFor();
    await rules.getByRole("button", { name: "Remove rule 1" }).click();
    await rules.getByText("Rule 1 removed.").waitFor();
    await rules.getByRole("button", { name: "Undo" }).click();
    await rules.getByText("every payment: unreachable").waitFor();
  });

  test("a double click resets nothing, and the question names what would be lost", async () => {
    await startPayment(scene.sandbox);
    await scene.sandbox.rules.add({ outcome: "unreachable" });
    const page = await scene.open({ view: "steering" });
    await page.getByRole("region", { name: "Rules" }).getByText("every payment: unreachable").waitFor();
    await page.getByRole("button", { name: "Reset …" }).dblclick();
    const question = page.getByRole("dialog", { name: "Forget it all?" });
    await question.getByText("Lost for good: 1 payment, 1 rule, 1 logged request.").waitFor();
    await question
      .locator(".danger")
      .dblclick({ force: true, timeout: 500 })
      .catch(() => {});
    await question.getByRole("button", { name: "Keep everything" }).click();
    expect(await scene.sandbox.requests()).toHaveLength(1);
  });
});
