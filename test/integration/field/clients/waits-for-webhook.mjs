/** A shop that starts a payment and leaves the rest to a webhook, which the specification does not know. */
const response = await fetch("https://payflow.example/api/v2/stkpush.php", {
  method: "POST",
  headers: { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" },
  body: JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 80, reference: "TICKET-5" }),
});
const { checkout_request_id } = await response.json();
console.log("the webhook will report the outcome of", checkout_request_id ? "TICKET-5" : "nothing");
