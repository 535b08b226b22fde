// A shop with Express. npm install express; momo client js > client.mjs; node shop-express.mjs
import { existsSync, writeFileSync } from "node:fs";
import express from "express";
import { createClient, fileStore } from "./client.mjs";

const { MOMO_BASE_URL, MOMO_API_KEY, MOMO_API_SECRET, MOMO_PAYMENT_ACCOUNT_ID, PORT = "3000" } = process.env;
const folder = process.env.MOMO_ORDERS ?? `${import.meta.dirname}/orders`;
const store = fileStore(folder);
const momo = createClient({
  baseUrl: MOMO_BASE_URL,
  apiKey: MOMO_API_KEY,
  apiSecret: MOMO_API_SECRET,
  paymentAccountId: Number(MOMO_PAYMENT_ACCOUNT_ID),
  store,
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
function triesOf(id) {
  const tries = [];
  for (;;) {
    const key = `${id}-${tries.length + 1}`.toLowerCase(); // as the client stores it
    const stored = store.get(`${key}~ended`) ?? store.get(`${key}~pending`) ?? store.get(key);
    if (stored === null) return tries;
    tries.push(stored);
  }
}

/** Starts the first try, or a new one if the last has ended unpaid. */
async function pay(id, phone) {
  const tries = triesOf(id);
  const last = tries.length === 0 ? null : await momo.ask(tries.at(-1).reference);
  return last && !(last.status in UNPAID) ? last : momo.start(`${id}-${tries.length + 1}`, phone, PRICES[id]);
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

/** What the page shows. While it is not final, the page asks again after 5 s. */
function show(order, response) {
  response.json({ status: order.status, text: TEXTS[order.status], asks_again: order.may_have_paid === true });
}

const app = express().use(express.json());

app.param("id", (_request, response, next, id) =>
  Object.hasOwn(PRICES, id) ? next() : response.status(404).json({ text: "There is no such order." }),
);
app.post("/orders/:id/pay", async ({ params: { id }, body }, response) => {
  show(book(await pay(id, body.phone)), response);
});
app.get("/orders/:id", async ({ params: { id } }, response) => {
  show(book(await momo.ask(triesOf(id).at(-1)?.reference ?? `${id}-1`)), response);
});
// A webhook only says where to look: anybody can send one.
app.post("/hook", async ({ body }, response) => {
  const id = body.checkout_request_id ?? body.data?.checkout_request_id;
  const order = Object.keys(PRICES)
    .flatMap(triesOf)
    .find((one) => one.checkout_request_id === id);
  if (order) book(await momo.ask(order.reference));
  response.sendStatus(order ? 200 : 404);
});
app.use((error, _request, response, _next) => {
  console.error(error.message);
  if (error.kind === "usage" && !error.mayHavePaid) response.status(400).json({ text: "Please enter a phone number." });
  else response.status(503).json({ text: error.mayHavePaid === false ? UNPAID.not_started : TEXTS.unknown });
});

/** The cron: the customer may have closed the page, and this server may have ended before it has booked. */
async function askForUnpaid() {
  for (const { reference } of Object.keys(PRICES)
    .filter((id) => !isPaid(id))
    .flatMap(triesOf))
    await momo.ask(reference).then(book).catch(console.error);
}
setInterval(() => askForUnpaid().catch(console.error), 60_000);

const server = app.listen(Number(PORT), () => console.log(`the shop is at http://127.0.0.1:${server.address().port}`));
