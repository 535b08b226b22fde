// A shop with Express. npm install express; momo client js > client.mjs; node shop-express.mjs
// Every minute a cron: node shop-express.mjs cron
import { existsSync, writeFileSync } from "node:fs";
import express from "express";
import { createClient, fileStore } from "./client.mjs";

const { MOMO_BASE_URL, MOMO_API_KEY, MOMO_API_SECRET, MOMO_PAYMENT_ACCOUNT_ID, PORT = "3000" } = process.env;
const folder = process.env.MOMO_ORDERS ?? `${import.meta.dirname}/orders`;
const momo = createClient({
  baseUrl: MOMO_BASE_URL,
  apiKey: MOMO_API_KEY,
  apiSecret: MOMO_API_SECRET,
  paymentAccountId: Number(MOMO_PAYMENT_ACCOUNT_ID),
  store: fileStore(folder),
});

// Yours: a table of your database, and its column paid: the file ID.delivered. The price never comes from the browser.
const PRICES = { order1001: 100, order1002: 250 };

const UNPAID = {
  failed: "The payment failed. Nothing was paid.",
  cancelled: "You cancelled. Nothing was paid.",
  expired: "Nobody entered a PIN in time. Nothing was paid.",
  not_started: "The payment could not be started. Nothing was paid.",
};
const TEXTS = {
  ...UNPAID,
  pending: "Look at your phone, and enter your PIN.",
  unknown: "We do not know yet whether you have paid. Please do not pay again: this page will say it.",
  completed: "Thank you. You have paid.",
};

/** The tries of an order, as they are stored. Each has a reference of its own. */
async function triesOf(id) {
  const tries = [];
  for (;;) {
    const stored = await momo.stored(`${id}-${tries.length + 1}`);
    if (stored === null) return tries;
    tries.push(stored);
  }
}

/** The order of a payment, or null. If the file of one order cannot be read, the others are found. */
async function findOrder(checkoutRequestId) {
  let unreadable = null;
  for (const id of Object.keys(PRICES)) {
    try {
      const tries = await triesOf(id);
      if (tries.some((one) => one.checkout_request_id === checkoutRequestId)) return id;
    } catch (error) {
      unreadable = error;
    }
  }
  if (unreadable) throw unreadable; // the payment can be of that order: the webhook comes again
  return null;
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
  return orders.find(({ status }) => !(status in UNPAID)) ?? orders.at(-1) ?? null;
}

/** Starts the first try, or a new one if all have ended unpaid. */
async function pay(id, phone) {
  const order = await look(id);
  if (order && !(order.status in UNPAID)) return order;
  const number = order ? Number(order.reference.split("-").at(-1)) + 1 : 1;
  return book(await momo.start(`${id}-${number}`, phone, PRICES[id]));
}

/** What the page shows. While it is not final, the page asks again after 5 s. */
function show(order, response) {
  response.json({ status: order.status, text: TEXTS[order.status], asks_again: order.may_have_paid === true });
}

const app = express().use(express.json());

app.param("id", (_request, response, next, id) =>
  Object.hasOwn(PRICES, id) ? next() : response.status(404).json({ text: "There is no such order." }),
);
app.post("/orders/:id/pay", async ({ params: { id }, body }, response) => {
  show(await pay(id, body?.phone), response);
});
app.get("/orders/:id", async ({ params: { id } }, response) => {
  const order = await look(id);
  if (order === null) response.status(404).json({ text: "The payment of this order has not been started." });
  else show(order, response);
});
// A webhook only says where to look: anybody can send one.
app.post("/hook", async ({ body }, response) => {
  const id = await findOrder(body?.checkout_request_id ?? body?.data?.checkout_request_id ?? "");
  if (id) await look(id);
  response.sendStatus(id ? 200 : 404);
});
app.use((error, _request, response, _next) => {
  console.error(error.message);
  const mayHavePaid = error.mayHavePaid !== false;
  const text = mayHavePaid ? TEXTS.unknown : UNPAID.not_started;
  if (error.type === "entity.parse.failed") response.status(400).json({ text: "The request is not JSON." });
  else if (error.kind === "usage" && !mayHavePaid) response.status(400).json({ text: "Please enter a phone number." });
  else response.status(503).json({ text, asks_again: mayHavePaid });
});

// The cron: the customer may have closed the page, and a process may have ended before it has booked.
if (process.argv[2] === "cron") {
  for (const id of Object.keys(PRICES).filter((one) => !isPaid(one))) {
    await look(id).catch((error) => console.error(`${id}: ${error.message}`)); // the others go on
  }
  process.exit();
}

const server = app.listen(Number(PORT), () => console.log(`the shop is at http://127.0.0.1:${server.address().port}`));
