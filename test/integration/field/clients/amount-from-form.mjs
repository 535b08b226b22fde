/** A donation page that passes on what its form has sent: the amount as it was typed. */
import { request } from "node:https";

const form = new URLSearchParams("phone=0712345678&amount=%20150.00&name=Akinyi");

function call(path, body, done) {
  const headers = { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" };
  const outgoing = request(`https://payflow.example/api/v2${path}`, { method: "POST", headers }, (response) => {
    let text = "";
    response.on("data", (chunk) => {
      text += chunk;
    });
    response.on("end", () => done(JSON.parse(text)));
  });
  outgoing.end(JSON.stringify(body));
}

function watch(id) {
  call("/status.php", { checkout_request_id: id }, ({ status }) => {
    if (status === "pending") setTimeout(watch, 4000, id);
    else console.log("thank you:", status);
  });
}

call(
  "/stkpush.php",
  { payment_account_id: 1, phone: form.get("phone"), amount: form.get("amount") },
  ({ success, checkout_request_id }) => {
    if (success) setTimeout(watch, 4000, checkout_request_id);
    else console.log("something went wrong");
  },
);
