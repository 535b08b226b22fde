// A shop with Express. npm install express; momo client js > client.mjs; node shop-express.mjs
import { writeFileSync } from "node:fs";
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
  settle,
});

// Yours: a table of your database. The price never comes from the browser.
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

/** The reference of the last try; of the next one, if that ended unpaid and the customer tries again. */
function referenceOf(id, triesAgain) {
  let number = 1;
  const name = id.toLowerCase(); // as the client stores it
  while (store.get(`${name}-${number + 1}`)) number += 1;
  const attempt = `${name}-${number}`;
  const end = store.get(`${attempt}~ended`) ?? store.get(`${attempt}~accepted`) ?? store.get(`${attempt}~not_started`);
  return `${id}-${triesAgain && end && end.status in UNPAID ? number + 1 : number}`;
}

/** Books a paid order once. The client calls it until it has returned; calls can overlap. In a database, one
 * transaction: UPDATE orders SET paid = true WHERE id = ? AND paid = false, and if that changes a row, INSERT what is to
 * deliver. Here, the file is both. */
function settle({ reference, status, receipt }) {
  if (status !== "completed") return;
  const id = reference.replace(/-[0-9]+$/, "");
  try {
    writeFileSync(`${folder}/${id}.delivered`, receipt, { flag: "wx" });
  } catch (error) {
    if (error.code === "EEXIST") return;
    throw error;
  }
  console.log(`deliver ${id}, receipt ${receipt}`);
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
  show(await momo.start(referenceOf(id, true), body.phone, PRICES[id]), response);
});
app.get("/orders/:id", async ({ params: { id } }, response) => {
  show(await momo.ask(referenceOf(id, false)), response);
});
// A webhook only says where to look: anybody can send one.
app.post("/hook", async ({ body }, response) => {
  const id = body.checkout_request_id ?? body.data?.checkout_request_id ?? null;
  const order = (await momo.open()).find(({ checkout_request_id }) => id !== null && checkout_request_id === id);
  if (order) await momo.ask(order.reference);
  response.sendStatus(order ? 200 : 404);
});
app.use((error, _request, response, _next) => {
  const text = error.mayHavePaid ? TEXTS.unknown : "The payment could not be started. Nothing was paid.";
  response.status(error.kind === "usage" ? 400 : 503).json({ text: error.kind === "usage" ? error.message : text });
});

/** The customer may have closed the page, and this server may have ended before it has delivered. */
async function askForOpenOrders() {
  for (const { reference } of await momo.open()) await momo.ask(reference).catch(console.error);
}
setInterval(() => askForOpenOrders().catch(console.error), 60_000);

const server = app.listen(Number(PORT), () => console.log(`the shop is at http://127.0.0.1:${server.address().port}`));
