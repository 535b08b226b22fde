import { type Client, KNOWN, type World } from "./history.ts";

/** The client in JavaScript, which runs in the process of the test. */
export interface ClientModule {
  createClient(options: object): {
    pay(reference: string, phone: string, amount: number): Promise<{ status: string; may_have_paid?: true }>;
  };
}

/** A file for each order would take most of the time of a history. */
const storeIn = (kept: Map<string, string>) => ({
  get: (key: string) => JSON.parse(kept.get(key) ?? "null"),
  add: (key: string, order: object) => !kept.has(key) && kept.set(key, JSON.stringify(order)),
  set: (key: string, order: object) => kept.set(key, JSON.stringify(order)),
  remove: (key: string) => kept.delete(key),
});

/** After the end of a process nothing of it goes on. */
export const startIn =
  ({ createClient }: ClientModule) =>
  ({ apiKey, apiSecret, paymentAccountId, kept, nowMs, after, send }: World): Client => {
    let isDead = false;
    const never = new Promise<never>(() => {});
    const alive = <T>(promise: Promise<T>): Promise<T> =>
      promise.then(
        (value) => (isDead ? never : value),
        (error: Error) => (isDead ? never : Promise.reject(error)),
      );
    const client = createClient({
      ...{ baseUrl: "/v2", apiKey, apiSecret, paymentAccountId, store: storeIn(kept), now: nowMs },
      fetch: (path: string, init: RequestInit) => alive(send(path, init)),
      sleep: (ms: number) =>
        alive(
          new Promise<void>((resolve) => {
            after(ms, resolve);
          }),
        ),
    });
    return {
      pay: (reference, phone, amount) =>
        client.pay(reference, phone, amount).then(
          ({ status, may_have_paid: mayHavePaid = false }) =>
            KNOWN.includes(status) === mayHavePaid ? `${status}, may_have_paid ${mayHavePaid}` : status,
          (error: Error & { kind?: string }) => error.kind ?? Promise.reject(error),
        ),
      goOn: async () => false,
      kill: () => (isDead = true),
    };
  };
