import { expect, test } from "bun:test";
import { openHarness } from "../support/harness.ts";
import { openScene } from "../support/scenario.ts";

/** The short form leaves members out, and changes no other. */
test("each member of an answer in the short form has the value of the full form", async () => {
  const full = await openScene();
  const short = openHarness({
    store: full.harness.store,
    startMs: full.harness.clock.nowMs() + 5000,
    profile: { response_form: "short" },
  });
  const { checkout_request_id } = await full.start(
    { reference: "A" },
    { headers: { "X-Sandbox-Outcome": "completed" } },
  );
  await full.harness.advance(5000);

  /** The same request to both. */
  async function ask(path: string, body: object | null) {
    const init = { headers: full.caller.headers, ...(body && { method: "POST", body: JSON.stringify(body) }) };
    const headers = { ...full.caller.headers, "Content-Type": "application/json" };
    const answers = [full.harness, short].map(({ api }) =>
      api(new Request(`http://x/v2${path}`, { ...init, headers })),
    );
    return Promise.all((await Promise.all(answers)).map((answer) => answer.json() as Promise<Record<string, unknown>>));
  }

  const [status, shortStatus] = await ask("/status.php", { checkout_request_id });
  expect(status).toMatchObject(shortStatus ?? {});
  const [list, shortList] = await ask("/transactions.php", null);
  const { data, ...rest } = shortList ?? {};
  expect(list).toMatchObject({ ...rest, transactions: data });
  expect(data).toMatchObject([{ status: "completed", amount: 100, fee_amount: 1, fee_deducted: true }]);

  await short.close();
  await full.close();
});
