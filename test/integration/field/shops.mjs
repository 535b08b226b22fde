/** Small shops, each with one habit: `node shops.mjs HABIT`. */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const SERVICE = "https://payflow.example/api/v2";
const headers = { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" };

const call = async (method, path, body) => {
  const response = await fetch(SERVICE + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return response.json();
};
const start = (order) =>
  call("POST", "/stkpush.php", { payment_account_id: 1, phone: customer, amount: 150, ...order });
const push = (phone, reference) => start({ phone, reference });
const ask = (checkout_request_id) => call("POST", "/status.php", { checkout_request_id });

const customer = "254712345678";

async function follow({ checkout_request_id }) {
  for (;;) {
    await sleep(4000);
    const { status } = await ask(checkout_request_id);
    if (status !== "pending") return status;
  }
}

const shops = {
  /** Four orders that end in different ways, each followed until it has ended, whatever the end is. */
  async "all right"() {
    const customers = ["254700000000", "254700000001", "254700000032", "254700000037"];
    const ends = await Promise.all(customers.map(async (phone, order) => follow(await push(phone, `ORDER-${order}`))));
    return ends.join(", ");
  },
  /** The payment account comes from the environment, where everything is text. */
  async "account from the environment"() {
    const payment = await start({ payment_account_id: process.env.PAYMENT_ACCOUNT_ID ?? "1" });
    return payment.success ? follow(payment) : "could not start the payment";
  },
  async "phones as they come"() {
    const ends = [];
    for (const phone of [712345678, "+254712345679", "712345680", "0712 345 681", "0712-345-682"]) {
      const payment = await start({ phone, reference: null });
      ends.push(payment.success ? await follow(payment) : "refused");
    }
    return ends.join(", ");
  },
  /** This customer cancels, and the shop knows only payments that succeed or fail. */
  async "two statuses"() {
    const { checkout_request_id } = await push("254700000032", "CART-9");
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await sleep(4000);
      const { status } = await ask(checkout_request_id);
      if (status === "completed" || status === "failed") return status;
    }
    return "time-out, please try again";
  },
  /** Its customer pays after half a minute. */
  async "gives up"() {
    const { checkout_request_id } = await push("254700000030", "AIRTIME-77");
    const deadline = Date.now() + 20_000;
    while (Date.now() < deadline) {
      await sleep(5000);
      if ((await ask(checkout_request_id)).status === "completed") return "airtime sent";
    }
    return "you did not pay";
  },
  /** The specification knows no webhook. */
  async "waits for a webhook"() {
    const { success } = await push(customer, "TICKET-5");
    return `the webhook will report the outcome: ${success}`;
  },
  /** The first result counts. */
  async "webhook and polls"() {
    let told = null;
    const receiver = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      told = JSON.parse(text).data.status;
      response.end();
    }).listen(0, "127.0.0.1");
    const status = await follow(await push(customer, "SHOE-8"));
    receiver.close();
    return told ?? status;
  },
};

console.log(await shops[process.argv[2]]());
