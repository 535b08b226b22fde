import { inTime } from "./waiting.ts";

/** Where a running sandbox is, and the key and the account of a merchant. */
interface Address {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly paymentAccountId: number;
}

type Json = Record<string, unknown>;

export type Client = ReturnType<typeof createClient>;

/** The requests of a merchant, and of a person who steers, to a running sandbox. */
export function createClient({ baseUrl, controlUrl, headers, paymentAccountId }: Address) {
  function send(method: string, url: string, json?: unknown, more: object = {}): Promise<Response> {
    const content = json === undefined ? {} : { body: JSON.stringify(json) };
    const type = json === undefined ? {} : { "Content-Type": "application/json" };
    const sent = fetch(url, { method, headers: { ...type, ...more }, ...content });
    return inTime(sent, () => `no answer came: ${method} ${url}`);
  }

  const get = (path: string) => send("GET", baseUrl + path, undefined, headers);
  const post = (path: string, body: object, more: object = {}) =>
    send("POST", baseUrl + path, body, { ...headers, ...more });
  const ask = (method: string, path: string, json?: unknown) => send(method, controlUrl + path, json);

  return {
    get,
    post,
    /** Any control call. */
    ask,
    /** A control call that must succeed. */
    control: async (method: string, path: string, json?: unknown): Promise<Json> =>
      answerOf(`${method} ${controlUrl}${path}`, await ask(method, path, json)),
    /** Starts a payment that must be accepted, and returns its checkout request id. */
    async pay(order: Readonly<Json> = {}, outcome?: string): Promise<string> {
      const body = { payment_account_id: paymentAccountId, phone: "0712345678", amount: 100, ...order };
      const more = outcome === undefined ? {} : { "X-Sandbox-Outcome": outcome };
      const answer = await answerOf("the payment", await post("/stkpush.php", body, more));
      return String(answer.checkout_request_id);
    },
    /** The status of a payment; of a refusal, its message. */
    async statusOf(checkoutRequestId: string): Promise<string> {
      const response = await post("/status.php", { checkout_request_id: checkoutRequestId });
      const { status, message } = (await response.json()) as Json;
      return String(status ?? message);
    },
    /** What the merchant API lists, newest first, for a query such as `?id=1`. */
    async list(query = ""): Promise<Json[]> {
      return (await answerOf("the list", await get(`/transactions.php${query}`))).transactions as Json[];
    },
  };
}

/** @throws an error with the message of a refusal */
async function answerOf(what: string, response: Response): Promise<Json> {
  const answer = (await response.json()) as Json;
  if (response.status !== 200) throw new Error(`${what}: ${response.status} ${answer.message}`);
  return answer;
}
