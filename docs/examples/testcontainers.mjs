import { setTimeout } from "node:timers/promises";
import { GenericContainer, Wait } from "testcontainers";

const MOMO_API_KEY = "mk_0123456789abcdef";
const MOMO_API_SECRET = "ms_0123456789abcdef0123456789abcdef";
const momo = await new GenericContainer("ghcr.io/OWNER/momo:0.1.0")
  .withEnvironment({ MOMO_API_KEY, MOMO_API_SECRET, MOMO_SERVE_OUTCOME: "cancelled", MOMO_SERVE_AFTER: "10ms" })
  .withExposedPorts(2547)
  .withWaitStrategy(Wait.forHttp("/_momo/health", 2547))
  .start();
const post = async (path, body) => {
  const url = `http://${momo.getHost()}:${momo.getMappedPort(2547)}/v2${path}`;
  const headers = { "Content-Type": "application/json", "X-API-Key": MOMO_API_KEY, "X-API-Secret": MOMO_API_SECRET };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
};
const { checkout_request_id } = await post("/stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 100 });
await setTimeout(1000);
console.log((await post("/status.php", { checkout_request_id })).status); // cancelled
await momo.stop();
