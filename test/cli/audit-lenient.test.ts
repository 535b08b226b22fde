import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

test("the audit hears of each leniency that was used, with the member, and of numbers in text", async () => {
  const { post, ready } = await serveMomo(["--accept", "lenient"]);
  const order = { payment_account_id: "1", phone: "+254 712 345 678", amount: 100, reference: null };
  expect((await post("/stkpush.php", order)).status).toBe(200);
  const { findings } = (await (await fetch(`${ready.control_url}/audit`)).json()) as {
    findings: { kind: string; message: string }[];
  };
  const told = findings.map(({ kind, message }) => [kind, message]);
  expect(told).toContainEqual(["number_as_text", 'payment_account_id is a number, but came as text: "1".']);
  expect(told).toContainEqual(["lenient_input", expect.stringMatching(/^phone .*\+254 712 345 678/)]);
  expect(told).toContainEqual(["lenient_input", expect.stringMatching(/^reference .*null/)]);
});
