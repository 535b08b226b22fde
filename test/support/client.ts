import { createParser } from "eventsource-parser";
import { inTime } from "./waiting.ts";

type Json = Record<string, unknown>;

/** Where a running sandbox is, and the key and the account of a merchant. */
interface Address {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly headers: Record<string, string>;
  readonly paymentAccountId: number;
}

export type Client = ReturnType<typeof createClient>;

/** The requests of a merchant, and of a person who steers, to a running sandbox. */
export function createClient({ baseUrl, controlUrl, headers, paymentAccountId }: Address) {
  function send(method: string, url: string, json?: unknown, more: object = {}): Promise<Response> {
    const content = json === undefined ? {} : { body: JSON.stringify(json) };
    const type = json === undefined ? {} : { "Content-Type": "application/json" };
    // A connection of its own: a server may close one that was idle just when the next request uses it.
    const sent = fetch(url, { method, headers: { ...type, ...more }, keepalive: false, ...content });
    return inTime(sent, () => `no answer came: ${method} ${url}`);
  }

  const get = (path: string) => send("GET", baseUrl + path, undefined, headers);
  const post = (path: string, body: object, more: object = {}) =>
    send("POST", baseUrl + path, body, { ...headers, ...more });
  const ask = (method: string, path: string, json?: unknown) => send(method, controlUrl + path, json);

  return {
    baseUrl,
    controlUrl,
    headers,
    origin: new URL(baseUrl).origin,
    get,
    post,
    /** Any control call. */
    ask,
    /** The key, for a command. */
    env: { MOMO_API_KEY: headers["X-API-Key"] ?? "", MOMO_API_SECRET: headers["X-API-Secret"] ?? "" },
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

/** More than any test needs: a server that repeats one event must not keep a test busy until its time-out. */
const MOST_EVENTS = 50_000;

interface ReceivedEvent {
  readonly name: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

export const isSteering = ({ name }: ReceivedEvent): boolean => name === "steering";

/** A client's side of a stream of server-sent events. */
export function readEvents(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const events: ReceivedEvent[] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: ({ event = "", id = "", data }) =>
      void events.push({ name: event, id, data: JSON.parse(data) as Record<string, unknown> }),
    onComment: (comment) => void comments.push(comment),
  });

  /** @returns whether there was more */
  async function readOn(): Promise<boolean> {
    const last = events.slice(-20);
    const told = last.map(({ name, id }) => `${name} ${id}`).join(", ");
    if (events.length > MOST_EVENTS) throw new Error(`more than ${MOST_EVENTS} events came, the last: ${told}`);
    const { value, done } = await inTime(reader.read(), () => `no event came after: ${told || "none"}`);
    if (value) parser.feed(decoder.decode(value, { stream: true }));
    return !done;
  }

  return {
    events,
    comments,
    /** Resolves when the server has ended it. */
    get ended() {
      return (async () => {
        while (await readOn());
      })();
    },
    /** Reads until there are `enough` events, or until `enough` returns true. @returns all events so far */
    async until(enough: number | ((events: readonly ReceivedEvent[]) => boolean)): Promise<ReceivedEvent[]> {
      const isEnough = typeof enough === "number" ? () => events.length >= enough : enough;
      while (!isEnough(events)) {
        if (!(await readOn())) throw new Error(`the stream ended after ${events.length} events`);
      }
      return events;
    },
    leave: () => reader.cancel(),
  };
}
