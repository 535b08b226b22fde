import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { openScene, payment, type Scene } from "../support/scenario.ts";

let lenient: Scene;
let strict: Scene;
beforeAll(async () => {
  lenient = await openScene({ accept: "lenient" });
  strict = await openScene();
});
afterAll(() => Promise.all([lenient.close(), strict.close()]));

const RUNS = { numRuns: 80 };

/** What a payment has become, without what differs from one database to the next. */
async function pay(scene: Scene, json: object) {
  const { status, body } = await scene.send({ path: "/stkpush.php", json });
  if (status !== 200) return { status, message: body.message };
  const { body: list } = await scene.send({ path: `/transactions.php?id=${body.transaction_id}` });
  const [{ amount, phone, fee_amount } = {} as Record<string, unknown>] = list.transactions as Record<
    string,
    unknown
  >[];
  return { status, amount, phone, fee_amount };
}

const cents = fc.integer({ min: 100, max: 25_000_000 });
const phone = fc.stringMatching(/^(?:254|0)[71][0-9]{8}$/).filter((text) => !text.endsWith("00000500"));
const order = fc.record(
  {
    phone: fc.oneof(phone, fc.jsonValue()),
    amount: fc.oneof(
      cents.map((value) => value / 100),
      fc.jsonValue(),
    ),
    reference: fc.oneof(fc.string(), fc.jsonValue()),
    description: fc.oneof(fc.string(), fc.jsonValue()),
  },
  { requiredKeys: [] },
);

test("whatever the strict form accepts, the lenient one accepts with the same result", () =>
  fc.assert(
    fc.asyncProperty(order, async (members) => {
      const json = { ...payment(strict.caller), ...members };
      const expected = await pay(strict, json);
      if (expected.status === 200) expect(await pay(lenient, json)).toEqual(expected);
    }),
    RUNS,
  ));

const parameter = (...values: string[]) => fc.oneof(fc.constantFrom(...values), fc.string({ maxLength: 8 }));
const query = fc.record(
  {
    page: parameter("1", "2", "999"),
    limit: parameter("1", "100"),
    type: parameter("api", "WEB"),
    status: parameter("pending", "Completed"),
    date_from: parameter("2026-01-01"),
    date_to: parameter("2026-12-31"),
    search: parameter("07", "+254"),
    id: parameter("1", "-1"),
  },
  { requiredKeys: [] },
);

test("the same of every query", async () => {
  await Promise.all([lenient.start(), strict.start()]);
  const list = async (scene: Scene, parameters: object) => {
    const { status, body } = await scene.send({ path: `/transactions.php?${new URLSearchParams({ ...parameters })}` });
    return { status, pagination: body.pagination, filters: body.filters_applied };
  };
  await fc.assert(
    fc.asyncProperty(query, async (parameters) => {
      const { pagination: _, ...expected } = await list(strict, parameters);
      const { pagination: __, ...answer } = await list(lenient, parameters);
      if (expected.status === 200) expect(answer).toEqual(expected);
    }),
    RUNS,
  );
});

const separator = fc.constantFrom("", " ", "-", ".", " (", ") ");
const spaces = fc.constantFrom("", " ", "\t");

/** An order in the right form, and the same as a client writes it that the real services take. */
const disguised = fc
  .record({ phone, cents, separators: fc.array(separator, { minLength: 12, maxLength: 12 }), spaces, form: fc.nat(2) })
  .map(({ phone: right, cents: value, separators, spaces: around, form }) => {
    const national = right.slice(-9);
    const written = [national, `+254${national}`, right][form] ?? right;
    const digits = [...written].map(
      (digit, index) => digit + (index > 0 && digit !== "+" ? (separators[index] ?? "") : ""),
    );
    const last = digits.length - 1;
    digits[last] = written.slice(-1);
    return {
      right: { phone: right, amount: value / 100 },
      sent: {
        phone: digits.join(""),
        amount: `${around}${(value / 100).toFixed(2)}${around}`,
        payment_account_id: `${around}1${around}`,
        reference: null,
      },
    };
  });

test("whatever the lenient form puts right equals what the strict one does with the right form", () =>
  fc.assert(
    fc.asyncProperty(disguised, async ({ right, sent }) => {
      const expected = await pay(strict, { ...payment(strict.caller), ...right });
      expect(await pay(lenient, { ...payment(lenient.caller), ...sent })).toEqual(expected);
    }),
    RUNS,
  ));

test("an amount is rounded half up by its digits, and refused where it is below 1 or too large then", () =>
  fc.assert(
    fc.asyncProperty(
      fc.nat(2_000_000),
      fc.integer({ min: 0, max: 999 }),
      fc.boolean(),
      async (whole, mills, isText) => {
        const decimal = `${whole}.${String(mills).padStart(3, "0")}`;
        const rounded = (whole * 100 + Math.floor((mills + 5) / 10)) / 100;
        const expected = await pay(strict, { ...payment(strict.caller), amount: rounded });
        const answer = await pay(lenient, { ...payment(lenient.caller), amount: isText ? decimal : Number(decimal) });
        expect(answer.status).toBe(expected.status);
        if (expected.status === 200) expect(answer).toEqual(expected);
      },
    ),
    RUNS,
  ));
