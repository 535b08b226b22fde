// A shop with Next.js: app/orders/[id]/route.js, beside client.mjs (momo client js > client.mjs).
import { createClient, fileStore } from "./client.mjs";

export const dynamic = "force-dynamic";

// On Vercel no file stays: give a store of your own, a table with the same five functions.
const store = fileStore(process.env.MOMO_ORDERS ?? `${process.cwd()}/orders`);
const momo = createClient({
  baseUrl: process.env.MOMO_BASE_URL,
  apiKey: process.env.MOMO_API_KEY,
  apiSecret: process.env.MOMO_API_SECRET,
  paymentAccountId: Number(process.env.MOMO_PAYMENT_ACCOUNT_ID),
  store,
  settle,
});

// Yours: a table of your database. The price never comes from the browser.
const PRICES = { order1001: 100, order1002: 250 };

/** Yours, in one transaction: if it is completed, UPDATE orders SET paid = true WHERE id = ? AND paid = false, and if that
 * changes a row, INSERT what is to deliver. The client calls it until it has returned; calls can overlap. */
async function settle(order) {
  console.log(`${order.reference} is ${order.status}, receipt ${order.receipt}`);
}

/** Starts the payment. It returns at once: a function that waits for the customer is ended too early. */
export async function POST(request, { params }) {
  const { id } = await params;
  return answer(id, async () => {
    const { phone, attempt = 1 } = await request.json(); // a new try after an unpaid one has the next number
    return momo.start(`${id}-${attempt}`, phone, PRICES[id]);
  });
}

/** The page asks every 5 s, until asks_again is false. A cron does the same for each order of momo.open(). */
export async function GET(request, { params }) {
  const { id } = await params;
  const attempt = new URL(request.url).searchParams.get("attempt") ?? "1";
  return answer(id, () => momo.ask(`${id}-${attempt}`));
}

async function answer(id, act) {
  if (!Object.hasOwn(PRICES, id)) return Response.json({ text: "There is no such order." }, { status: 404 });
  try {
    const order = await act();
    return Response.json({ status: order.status, receipt: order.receipt, asks_again: order.may_have_paid === true });
  } catch (error) {
    const text = error.mayHavePaid ? "We do not know yet whether you have paid." : "Nothing was paid.";
    return Response.json({ text, asks_again: error.mayHavePaid === true }, { status: 503 });
  }
}
