import type { Client, Said, SaidOrder, StartClient, World } from "./world.ts";

/** The client in JavaScript, which runs in the process of the test. */
export interface ClientModule {
  createClient(options: object): Record<string, (...args: readonly unknown[]) => Promise<SaidOrder | SaidOrder[]>>;
  fileStore(folder: string): Store;
}

interface Store {
  get(key: string): object | null;
  add(key: string, order: object, options?: { replaces?: boolean }): void;
  remove(key: string): void;
  names(): string[];
}

const ORIGIN = "http://momo.test";
const PUSH = "/v2/stkpush.php";

/** A file for each order would take most of the time of a history. */
const memoryStore = (kept: Map<string, string>): Store => ({
  get: (key) => JSON.parse(kept.get(key) ?? "null"),
  add: (key, order, { replaces = false } = {}) => {
    if (replaces || !kept.has(key)) kept.set(key, JSON.stringify(order));
  },
  remove: (key) => void kept.delete(key),
  names: () => [...kept.keys()],
});

/** A store on the machine of the history, whose disk can be full. After an order is added, its process can stand still. */
function storeOn({ isDiskFull }: World, store: Store, standStill: () => Promise<void>) {
  return {
    ...store,
    add(key: string, order: object, options?: { replaces?: boolean }) {
      if (isDiskFull()) throw new Error("ENOSPC: no space left on device");
      store.add(key, order, options);
      return key.includes("~") ? undefined : standStill();
    },
  };
}

/** @param hasFiles whether the orders are files, which clients in other languages read, too */
export const startIn =
  ({ createClient, fileStore }: ClientModule, hasFiles = false): StartClient =>
  (world): Client => {
    const { apiKey, apiSecret, paymentAccountId, folder, kept, nowMs, after, send, standStill } = world;
    let isDead = false;
    const never = new Promise<never>(() => {});
    /** After the end of a process nothing of it goes on. */
    const alive = <T>(promise: Promise<T>): Promise<T> =>
      promise.then(
        (value) => (isDead ? never : value),
        (error: Error) => (isDead ? never : Promise.reject(error)),
      );
    const client = createClient({
      baseUrl: `${ORIGIN}/v2`,
      apiKey,
      apiSecret,
      paymentAccountId,
      store: storeOn(world, hasFiles ? fileStore(folder) : memoryStore(kept), () => alive(standStill("look"))),
      now: nowMs,
      async fetch(url: string, init: RequestInit) {
        const path = url.slice(ORIGIN.length);
        if (path === PUSH) await alive(standStill("push"));
        return alive(send(path, init));
      },
      sleep: (ms: number) =>
        alive(
          new Promise<void>((resolve) => {
            after(ms, resolve);
          }),
        ),
    });
    return {
      async call(name, ...args): Promise<Said> {
        try {
          const said = await client[name]?.(...args);
          return Array.isArray(said) ? { orders: said } : said ? { order: said } : {};
        } catch (error) {
          const { kind, mayHavePaid = false } = error as { kind?: string; mayHavePaid?: boolean };
          if (kind === undefined) throw error;
          return { error: { kind, mayHavePaid } };
        }
      },
      goOn: async () => false,
      kill: () => {
        isDead = true;
      },
    };
  };
