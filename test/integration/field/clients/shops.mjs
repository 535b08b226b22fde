/** Small shops, each with one habit: `node shops.mjs HABIT`. */
import { setTimeout as sleep } from "node:timers/promises";

const SERVICE = "https://payflow.example/api/v2";
const headers = { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" };

const call = async (method, path, body) => {
  const response = await fetch(SERVICE + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return response.json();
};
const push = (phone, reference, amount = 150) =>
  call("POST", "/stkpush.php", { payment_account_id: 1, phone, amount, ...(reference && { reference }) });
const ask = (checkout_request_id) => call("POST", "/status.php", { checkout_request_id });

async function follow({ checkout_request_id }) {
  for (;;) {
    await sleep(4000);
    const { status } = await ask(checkout_request_id);
    if (status !== "pending") return status;
  }
}

const customer = "254712345678";
const shops = {
  /** The button stays active, and each click makes a reference from the time. */
  async "two clicks"() {
    const clicks = [push(customer, `ORDER-${Date.now()}`)];
    await sleep(700);
    clicks.push(push(customer, `ORDER-${Date.now()}`));
    return Promise.all((await Promise.all(clicks)).map(follow));
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
    return Promise.all(["254712345601", "254712345602"].map(async (phone) => follow(await push(phone, "SHOP"))));
  },
  async "bulk run"() {
    const phones = Array.from({ length: 30 }, (_, number) => String(254_712_345_600 + number));
    return (await Promise.all(phones.map(async (phone) => follow(await push(phone, "HARVEST-2026"))))).length;
  },
  async "new try after a failure"() {
    await follow(await push("254700000001", "ORDER-6"));
    return follow(await push("254700000001", "ORDER-6"));
  },
  async "the same coffee again"() {
    for (let day = 1; day < 3; day += 1) await follow(await push("254700000000", `COFFEE-${day}`));
    return "enjoy";
  },
  async "status by GET"() {
    const { checkout_request_id } = await push(customer, "ORDER-7");
    await sleep(4000);
    return (await call("GET", `/status.php?checkout_request_id=${checkout_request_id}`)).status ?? "unknown";
  },
  async "status by transaction_id"() {
    const { transaction_id } = await push(customer, "ORDER-8");
    await sleep(4000);
    return (await ask(String(transaction_id))).status ?? "unknown";
  },
  /** The column of the database is VARCHAR(32). */
  async "cut id"() {
    const { checkout_request_id } = await push(customer, "ORDER-9");
    await sleep(4000);
    return (await ask(checkout_request_id.slice(0, 32))).status ?? "unknown";
  },
  /** The id goes through a URL twice. */
  async "encoded id"() {
    const { checkout_request_id } = await push(customer, "ORDER-10");
    await sleep(4000);
    return (await ask(checkout_request_id.replaceAll("_", "%5F"))).status ?? "unknown";
  },
  /** Its configuration is missing, and its page says that all is well. */
  async "hidden refusal"() {
    headers["X-API-Secret"] = "";
    await push(customer, "ORDER-11");
    return "thank you";
  },
  /** Without its variables it works without payments. */
  "no request": () => "payments are switched off",
};

console.log(await shops[process.argv[2]]());
