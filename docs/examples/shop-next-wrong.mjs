// How it is usually written wrong: the route waits for the customer, and gives up after 15 seconds.
const headers = {
  "X-API-Key": process.env.MOMO_API_KEY,
  "X-API-Secret": process.env.MOMO_API_SECRET,
  "Content-Type": "application/json",
};

async function post(path, body) {
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return (await fetch(process.env.MOMO_BASE_URL + path, init)).json();
}

export async function POST(request, { params }) {
  const { id } = await params;
  const { phone, amount } = await request.json();
  const payment_account_id = Number(process.env.MOMO_PAYMENT_ACCOUNT_ID);
  const { checkout_request_id } = await post("/stkpush.php", { payment_account_id, phone, amount, reference: id });
  for (let poll = 0; poll < 5; poll += 1) {
    await new Promise((resolve) => {
      setTimeout(resolve, 3000);
    });
    const { status } = await post("/status.php", { checkout_request_id });
    if (status === "completed") return Response.json({ text: "Thank you." });
  }
  // Wrong: pending is not failed. A customer who pays later has paid for nothing.
  return Response.json({ text: "The payment failed." });
}
