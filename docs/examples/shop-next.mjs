// A shop with Next.js: app/orders/[id]/route.js, beside client.mjs (momo client js > client.mjs).
import { existsSync, writeFileSync } from "node:fs";
import { createClient, fileStore } from "./client.mjs";

export const dynamic = "force-dynamic";

// On Vercel no file stays: give a store of your own, a table with the same functions.
const folder = process.env.MOMO_ORDERS ?? `${process.cwd()}/orders`;
const momo = createClient({
  baseUrl: process.env.MOMO_BASE_URL,
  apiKey: process.env.MOMO_API_KEY,
  apiSecret: process.env.MOMO_API_SECRET,
  paymentAccountId: Number(process.env.MOMO_PAYMENT_ACCOUNT_ID),
  store: fileStore(folder),
});

// Yours: a table of your database, and its column paid: the file ID.delivered. The price never comes from the browser.
const PRICES = { order1001: 100, order1002: 250 };
const UNPAID = ["failed", "cancelled", "expired", "not_started"];

/** The tries of an order, as they are stored. Each has a reference of its own. */
async function triesOf(id) {
  const tries = [];
  for (;;) {
    const stored = await momo.stored(`${id}-${tries.length + 1}`);
    if (stored === null) return tries;
    tries.push(stored);
  }
}

const isPaid = (id) => existsSync(`${folder}/${id}.delivered`);

/** Books a paid order, once. In a database, one transaction: UPDATE orders SET paid = true WHERE id = ? AND paid = false,
 * and if that changed a row, INSERT what is to deliver. Here, the file is both. */
function book(order) {
  const id = order.reference.replace(/-[0-9]+$/, "");
  if (order.status !== "completed" || isPaid(id)) return order;
  try {
    writeFileSync(`${folder}/${id}.delivered`, order.receipt ?? "", { flag: "wx" });
  } catch (error) {
    if (error.code === "EEXIST") return order; // another process was faster
    throw error;
  }
  console.log(`deliver ${id}, receipt ${order.receipt}`);
  return order;
}

/** Asks for all tries of an order, as a push that came late can open an earlier one again, and books what was paid.
 * Returns the try that may be paid, or else the last; null if there is none. */
async function look(id) {
  if (isPaid(id)) return { status: "completed" };
  const orders = [];
  for (const { reference } of await triesOf(id)) {
    orders.push(book(await momo.ask(reference)));
  }
  if (isPaid(id)) return { status: "completed" };
  return orders.find(({ status }) => !UNPAID.includes(status)) ?? orders.at(-1) ?? null;
}

/** Starts the first try, or a new one if all have ended unpaid. It does not wait for the customer: that takes too long. */
async function pay(id, phone) {
  const order = await look(id);
  if (order && !UNPAID.includes(order.status)) return order;
  const number = order ? Number(order.reference.split("-").at(-1)) + 1 : 1;
  return book(await momo.start(`${id}-${number}`, phone, PRICES[id]));
}

export async function POST(request, { params }) {
  const { id } = await params;
  const body = await request.json().catch(() => null);
  if (body === null) return Response.json({ text: "The request is not JSON." }, { status: 400 });
  return answer(id, () => pay(id, body.phone));
}

/** The page asks for its order every 5 s, until asks_again is false. A cron asks for /orders/unpaid each minute. */
export async function GET(_request, { params }) {
  const { id } = await params;
  if (id === "unpaid") return askForUnpaid();
  return answer(id, () => look(id));
}

/** The customer may have closed the page, and a process may have ended before it has booked. */
async function askForUnpaid() {
  for (const id of Object.keys(PRICES).filter((one) => !isPaid(one))) {
    await look(id).catch((error) => console.error(`${id}: ${error.message}`)); // the others go on
  }
  return Response.json({ unpaid: Object.keys(PRICES).filter((one) => !isPaid(one)) });
}

async function answer(id, act) {
  if (!Object.hasOwn(PRICES, id)) return Response.json({ text: "There is no such order." }, { status: 404 });
  try {
    const order = await act();
    if (order === null)
      return Response.json({ text: "The payment of this order has not been started." }, { status: 404 });
    return Response.json({ status: order.status, asks_again: order.may_have_paid === true });
  } catch (error) {
    console.error(error.message);
    const mayHavePaid = error.mayHavePaid !== false;
    const text = mayHavePaid ? "We do not know yet whether you have paid." : "Nothing was paid.";
    if (error.kind === "usage" && !mayHavePaid)
      return Response.json({ text: "Please enter a phone number." }, { status: 400 });
    return Response.json({ text, asks_again: mayHavePaid }, { status: 503 });
  }
}
