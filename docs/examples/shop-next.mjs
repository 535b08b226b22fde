// A shop with Next.js: app/orders/[id]/route.js, beside client.mjs (momo client js > client.mjs).
import { existsSync, writeFileSync } from "node:fs";
import { createClient, fileStore } from "./client.mjs";

export const dynamic = "force-dynamic";

// On Vercel no file stays: give a store of your own, a table with the same functions.
const folder = process.env.MOMO_ORDERS ?? `${process.cwd()}/orders`;
const store = fileStore(folder);
const momo = createClient({
  baseUrl: process.env.MOMO_BASE_URL,
  apiKey: process.env.MOMO_API_KEY,
  apiSecret: process.env.MOMO_API_SECRET,
  paymentAccountId: Number(process.env.MOMO_PAYMENT_ACCOUNT_ID),
  store,
});

// Yours: a table of your database, and its column paid: the file ID.delivered. The price never comes from the browser.
const PRICES = { order1001: 100, order1002: 250 };
const UNPAID = ["failed", "cancelled", "expired", "not_started"];

/** The tries of an order, as they are stored. Each has a reference of its own. */
async function triesOf(id) {
  const tries = [];
  for (;;) {
    const key = `${id}-${tries.length + 1}`.toLowerCase(); // as the client stores it
    const states = [`${key}~ended`, `${key}~pending`, key];
    const stored = (await Promise.all(states.map((name) => store.get(name)))).find((state) => state !== null);
    if (!stored) return tries;
    tries.push(stored);
  }
}

const isPaid = (id) => existsSync(`${folder}/${id}.delivered`);

/** Books a paid order, once. In a database, one transaction: UPDATE orders SET paid = true WHERE id = ? AND paid = false,
 * and if that changed a row, INSERT what is to deliver. Here, the file is both. */
function book(order) {
  const id = order.reference.replace(/-[0-9]+$/, "");
  if (order.status !== "completed" || isPaid(id)) return order;
  writeFileSync(`${folder}/${id}.delivered`, order.receipt, { flag: "wx" }); // fails if another process was faster
  console.log(`deliver ${id}, receipt ${order.receipt}`);
  return order;
}

/** Starts the payment, or a new try if the last has ended unpaid. It does not wait for the customer: that takes too long. */
export async function POST(request, { params }) {
  const { id } = await params;
  return answer(id, async () => {
    const { phone } = await request.json();
    const tries = await triesOf(id);
    const last = tries.length === 0 ? null : await momo.ask(tries.at(-1).reference);
    return last && !UNPAID.includes(last.status) ? last : momo.start(`${id}-${tries.length + 1}`, phone, PRICES[id]);
  });
}

/** The page asks for its order every 5 s, until asks_again is false. A cron asks for /orders/unpaid each minute. */
export async function GET(_request, { params }) {
  const { id } = await params;
  if (id === "unpaid") return askForUnpaid();
  return answer(id, async () => momo.ask((await triesOf(id)).at(-1)?.reference ?? `${id}-1`));
}

async function askForUnpaid() {
  for (const id of Object.keys(PRICES).filter((one) => !isPaid(one)))
    for (const { reference } of await triesOf(id)) await momo.ask(reference).then(book).catch(console.error);
  return Response.json({ unpaid: Object.keys(PRICES).filter((one) => !isPaid(one)) });
}

async function answer(id, act) {
  if (!Object.hasOwn(PRICES, id)) return Response.json({ text: "There is no such order." }, { status: 404 });
  try {
    const order = book(await act());
    return Response.json({ status: order.status, receipt: order.receipt, asks_again: order.may_have_paid === true });
  } catch (error) {
    console.error(error.message);
    if (error.kind === "usage" && !error.mayHavePaid)
      return Response.json({ text: "Please enter a phone number." }, { status: 400 });
    const isUnpaid = error.mayHavePaid === false;
    const text = isUnpaid ? "Nothing was paid." : "We do not know yet whether you have paid.";
    return Response.json({ text, asks_again: !isUnpaid }, { status: 503 });
  }
}
