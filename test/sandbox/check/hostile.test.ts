import { expect, test } from "bun:test";
import { parseProfile } from "../../../sandbox/check/profiles.ts";
import { formatCheck } from "../../../sandbox/check/report.ts";
import type { CheckReport } from "../../../sandbox/check/result.ts";
import { Secrets } from "../../../sandbox/check/secrets.ts";
import { forAllTests } from "../../support/cleanup.ts";
import { openScene } from "../../support/scene.ts";
import { checkReads, checkScene, type Deviation, fillScene, withText } from "./checked.ts";

/** What a service sends can neither end a check without a report, nor bring a secret into one. `test/hostile` draws more. */

async function check(deviate: Deviation, payment: object | null = {}, takesMs = 0): Promise<CheckReport> {
  const scene = await openScene();
  await fillScene(scene);
  const report = await checkScene(
    scene,
    async (answer, request) => {
      if (takesMs > 0) await scene.advance(takesMs);
      return deviate(answer, request);
    },
    payment,
  );
  await scene.close();
  for (const format of ["text", "json", "junit"] as const)
    expect(formatCheck(report, format, true).length).toBeLessThan(500_000);
  expect(report.stopped?.kind).not.toBe("bug");
  expect(parseProfile(report.profile)).toEqual(report.profile);
  return report;
}

test.each<[what: string, deviate: Deviation]>([
  [
    "a member of 50,000 arrays in one another",
    withText((it) => it.replace("{", `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)},`)),
  ],
  ["half of a character in a phone", withText((it) => it.replaceAll('"phone":"254', String.raw`"phone":"\ud83d254`))],
  ["members that a conversion to text would call", withText((it) => it.replaceAll(/:"[^"]*"/g, ':{"toString":1}'))],
  ["ids of 900,000 characters", withText((it) => it.replaceAll("ws_CO_", `ws_CO_${"9".repeat(900_000)}`))],
  ["300,000 rows", withText((it) => it.replace(/\[\{/, `[${"{},".repeat(300_000)}{`))],
  ["no JSON", withText((it) => it.slice(1))],
  ["a status that does not exist", (answer) => ({ ...answer, status: 999 })],
])("after a push, %s leaves a report with its id", async (_what, deviate) => {
  const { notes } = await check((answer, request) =>
    request.method === "POST" || request.path.includes("pending") ? deviate(answer, request) : answer,
  );
  expect(notes[0]?.kind).toMatch(/^pushed(?:_without_id)?$/);
});

test("answers of more than 32 MiB or 5 minutes in sum end the check", async () => {
  const large = await check(withText((it) => it + " ".repeat(1_000_000)));
  expect(large.stopped).toEqual({ kind: "too_large" });
  const slow = await check((answer) => answer, null, 20_000);
  expect(slow).toMatchObject({ stopped: { kind: "too_slow" }, requests: 16 });
});

test("a fee above the amount, result codes and statuses that momo does not serve are left out of the profile", async () => {
  const odd = withText((it) =>
    it
      .replaceAll(/"amount":[0-9.]+,"fee_amount":[0-9.]+/g, '"amount":1,"fee_amount":10')
      .replaceAll('"result_code":1032', '"result_code":-1032'),
  );
  const { profile, checked } = await check((answer, request) => {
    const changed = odd(answer, request) as typeof answer;
    return answer.status === 404 ? { ...changed, status: 99 } : changed;
  });
  expect(JSON.stringify(profile)).not.toMatch(/-1032|unknown_id|"fee"/);
  expect(checked.find(({ id }) => id === "silent.results")?.fact).toMatchObject({
    others: [["-1032", expect.any(String)]],
  });
});

const secrets = new Secrets(["mk_0123456789abcdef", "ms_Secret0123456789abcdef", "#!$%-_=+x9?@&^~7", 'p%41ß漢 😀"q']);
secrets.learn({ transaction_code: "X", rows: [{ momo_receipt_number: "UKK001DAN1" }], phone: { work: 254712345678 } });
secrets.learnText("<TransactionCode>QWERTYUIOP</TransactionCode>");
secrets.learnText(String.raw`\u0022receipt\u0022:\u0022LKJHGFDSA\u0022`);

test.each<[text: string, shown: string]>([
  ['{"transaction_code" : "X","code":404} it is "X"', '{"transaction_code" : "…","code":…} it is "…"'],
  ["+254 712 345 678, 0712-345-678, (0712) 345678, 2 5 4 7 1 2 3 4 5 6 7 8", "+254…, 0…, (0…, 2 5 4 …"],
  ["%2B254712345678 %30%37%31%32%33%34%35%36%37%38 \\u0030712345678", "%2B254… %30… \\u0030…"],
  ["0799111222 of another customer, 254110000000", "0… of another customer, 254…"],
  ["paid ukk001dan1, U K K-001-DAN-1, qwertyuiop, lkjhgfdsa", "paid …, …, …, …"],
  ["MS_SECRET0123456789ABCDEF ms%5FSecret0123456789abcdef mk-0123456789abcdef", "… … …"],
  ["<phone>0711222333</phone> code=QK12", "<phone>0…</phone> code=…"],
  ['{"message":"{\\"transaction_code\\":\\"QQ\\"}"}', '{"message":"{\\"transaction_code\\":\\"…\\"}"}'],
  ["turned \u202e and\n cut \ud83d", "turned \\u202e and cut \u{FFFD}"],
  [`${"a".repeat(195)} UKK001DAN1 b`, `${"a".repeat(195)} ……`],
  // Secrets of any characters, raw and in JSON, a URL and HTML, also in one another.
  ["a #!$%-_=+x9?@&^~7 b", "a … b"],
  ["a %23!%24%25-_%3D%2Bx9%3F%40%26%5E~7 b", "a … b"],
  ["a %2523%2521%2524%2525-_%253D%252Bx9%253F%2540%2526%255E~7 b", "a … b"],
  ["a &#35;!$%-_=+x9?@&amp;^~7 &#x23;!$%-_=+x9?@&amp;amp;^~7 b", "a … … b"],
  ["a \\u0023!$%-_=+x9?@\\u0026^~7 b", "a … b"],
  ['a p%41ß漢 😀"q b', "a … b"],
  [`a ${JSON.stringify('p%41ß漢 😀"q')} b`, 'a "…" b'],
  [`a ${encodeURIComponent('p%41ß漢 😀"q')} b`, "a … b"],
  ["a p%41&#223;&#28450; &#128512;&quot;q b", "a … b"],
  [`${"a".repeat(190)} #!$%-_=+x9?@&^~7 b`, `${"a".repeat(190)} ……`],
  // These are no secrets.
  ['"result_code":1032,"created_at":"2026-11-20 10:02:00"', '"result_code":1032,"created_at":"2026-11-20 10:02:00"'],
  ["ws_CO_20112026100200_DM76SK819R0XRY40HBXX, 100.5", "ws_CO_20112026100200_DM76SK819R0XRY40HBXX, 100.5"],
])("%j is shown as %j", (text, shown) => {
  expect(secrets.hide(text, 200)).toBe(shown);
});

/** Values that a member of an answer must not have: the sentence about it does not hold. */

const scene = forAllTests(async () => {
  const opened = await openScene();
  await fillScene(opened);
  return opened;
});
const checkWrong = checkReads(scene);

type Json = Record<string, unknown>;

const NO_ID = [null, 12, "", "ws_CO_20112026100000", "ws_CO_20112026100000_", "ws__1", "XX_1_1"];
const NO_TIMESTAMP = [0, "", "2026-11-20", "2026-11-20T10:00:00", "2026-11-20 10:00:00.5", "20-11-2026 10:00:00"];
const NO_COUNT = [null, "1", 1.5, -1];

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  "list.id": [null, "1", 1.5],
  "list.kind": [null, "card", "API"],
  "list.type": [null, 5, "", "api"],
  "list.status": [null, "", "paid", "COMPLETED"],
  "list.amount": [null, "5"],
  "list.fee_amount": [null, "5"],
  "list.fee_deducted": [null, 1, "true"],
  "list.phone": [null, 254712345678],
  "list.transaction_code": [5, false],
  "list.checkout_request_id": NO_ID,
  "list.merchant_request_id": [...NO_ID, "ws_CO_20112026100000_1"],
  "list.result_code": ["0", 1.5],
  "list.result_desc": [0, {}],
  "list.created_at": [null, ...NO_TIMESTAMP],
  "list.completed_at": NO_TIMESTAMP,
  "status.status": [null, "paid"],
  "pagination.total_items": [null, "1", 1.5],
  "summary.total_completed_amount": [null, "5"],
  "summary.completed_count": NO_COUNT,
};

/** The answers of a kind with this value in one member. */
const withValue =
  (place: string, name: string, value: unknown): Deviation =>
  (answer) => {
    const body = JSON.parse(answer.text) as Json;
    const part = body[place] as Json | undefined;
    const changed = { ...body, ...(part && { [place]: { ...part, [name]: value } }) };
    if (place === "list" && body.transactions)
      changed.transactions = (body.transactions as Json[]).map((row) => ({ ...row, [name]: value }));
    if (place === "status" && body.status) changed[name] = value;
    return { ...answer, text: JSON.stringify(changed) };
  };

const rows = Object.entries(WRONG).flatMap(([id, values]) => values.map((value) => [id, value] as const));

test.each(rows)("%s must not be %j, and no phone is shown with it", async (id, value) => {
  const [place = "", name = ""] = id.split(".");
  const { checked } = await checkWrong(withValue(place, name, value));
  expect(checked.find((one) => one.id === id)?.verdict).toBe("fails");
  expect(JSON.stringify(checked)).not.toMatch(/254[0-9]{9}/);
});

test("of two values with the same start the longer one is hidden whole, and of one that the text cuts its start", () => {
  const alike = new Secrets(["Qz81mVbT0sLw", "Qz81mVbT0sLwX4rc"]);
  expect(alike.hide("it is Qz81mVbT0sLwX4rc here", 100)).toBe("it is … here");
  expect(alike.hide("it ends with Qz81mVbT0s", 100)).toBe("it ends with …");
});
