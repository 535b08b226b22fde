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
  /** It passes on what its form has sent. */
  async "amount from a form"() {
    const form = new URLSearchParams("phone=0712345678&amount=%20150.00&name=Akinyi");
    const payment = await start({ phone: form.get("phone"), amount: form.get("amount") });
    return payment.success ? follow(payment) : "something went wrong";
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
  /** It searches the list for its payment, by a parameter that the list does not have. */
  async "first row"() {
    const { checkout_request_id } = await push("254700000032", "TABLE-1");
    await push("254700000000", "TABLE-2");
    await sleep(4000);
    const { transactions } = await call("GET", `/transactions.php?checkout_request_id=${checkout_request_id}`);
    return `TABLE-1 is ${transactions[0].status}; the row is that of ${transactions[0].phone}`;
  },
  /** Its page polls every few seconds, and its server credits each time that it reads "completed". */
  async "credits each time"() {
    let balance = 0;
    const { checkout_request_id } = await push("254700000000", "TOPUP-3");
    for (let refresh = 0; refresh < 3; refresh += 1) {
      await sleep(4000);
      if ((await ask(checkout_request_id)).status === "completed") balance += 150;
    }
    return `paid 150, credited ${balance}`;
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
  /** The button stays active, and each click makes a reference from the time. */
  async "two clicks"() {
    const clicks = [push(customer, `ORDER-${Date.now()}`)];
    await sleep(700);
    clicks.push(push(customer, `ORDER-${Date.now()}`));
    return (await Promise.all((await Promise.all(clicks)).map(follow))).join(", ");
  },
  /** A lost answer is read as a failure. */
  async "lost answer"() {
    const faults = [{ path: "/stkpush.php", kind: "disconnect", times: 1 }];
    const json = { "Content-Type": "application/json" };
    await fetch(`${process.env.MOMO_CONTROL_URL}/faults`, {
      method: "PUT",
      headers: json,
      body: JSON.stringify({ faults }),
    });
    const payment = await push(customer, "ORDER-5").catch(() => push(customer, "ORDER-5"));
    return follow(payment);
  },
  async "one reference for all"() {
    const phones = ["254712345601", "254712345602"];
    return (await Promise.all(phones.map(async (phone) => follow(await push(phone, "SHOP"))))).join(", ");
  },
  async "new try after a failure"() {
    await follow(await push("254700000001", "ORDER-6"));
    return follow(await push("254700000001", "ORDER-6"));
  },
};

console.log(await shops[process.argv[2]]());
