/** The address of the payment service, and the headers with credentials. */
export interface Api {
  readonly baseUrl: string;
  readonly headers: Record<string, string>;
  readonly paymentAccountId: number;
}

/** Waits between two polls; a test advances the sandbox's clock instead. */
export type Pause = () => Promise<unknown>;

/** Starts a payment and follows it to its end. */
export async function checkout(api: Api, order: { phone: string; amount: number; reference: string }, pause: Pause) {
  const push = { payment_account_id: api.paymentAccountId, ...order };
  const { checkout_request_id } = await post(api, "/stkpush.php", push);
  for (;;) {
    const { status } = await post(api, "/status.php", { checkout_request_id });
    if (status !== "pending") return status === "completed" ? "paid" : status;
    await pause();
  }
}

/** Sends a request, and repeats it up to three times if the service fails. */
async function post({ baseUrl, headers }: Api, path: string, body: object): Promise<Record<string, unknown>> {
  for (let retries = 3; ; retries--) {
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    };
    const answer = await fetch(baseUrl + path, init);
    if (answer.ok) return (await answer.json()) as Record<string, unknown>;
    if (answer.status < 500 || retries === 0) throw new Error(`HTTP ${answer.status}: ${await answer.text()}`);
  }
}
