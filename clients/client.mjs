// A client for the mobile-money API in one file, for Node 18 and later, Bun and Deno. Copy it into your program, and keep it.
//   const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store: fileStore("orders") });
//   const { status } = await momo.pay("ORDER-0001", "0712345678", 100); // completed: deliver, once for each order
// A reference is an order: stored before the push, pushed once (as REFERENCE~, so that no other one begins with it), and never again.
// After a failure, a new try needs another one. Called again (after a crash, at the deadline), pay goes on. Tests: a new folder each run.
// Statuses: completed, failed, cancelled, expired, not_started (known, for good); pending, unknown (may be paid: ask again later).
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL as urlOf } from "node:url";

/** @typedef {{ reference: string, phone: string, amount: number, status: string, checkout_request_id: string | null,
 *   started_at: number, asked_at: number, may_have_paid?: true }} Order */
/** @typedef {{ get(key: string): Order | null, add(key: string, order: Order): boolean, set(key: string, order: Order): void,
 *   remove(key: string): void }} Store add says whether the order was added, and was not there already */
const CODES = { completed: 0, failed: 10, cancelled: 11, expired: 12, not_started: 5 };
const ERRORS = { usage: 2, credentials: 4, refused: 5, unreachable: 6, unknown: 6 };
const UNSENT = /CONN(ECTION)?REFUSED|ENOTFOUND|EAI_AGAIN|INVALID_URL|bad port|unknown scheme|SELF_SIGNED|CERT_|UNABLE/i;
const isFinal = ({ status }) => Object.hasOwn(CODES, status);
/** kind: one of ERRORS. mayHavePaid: whether the customer may have paid all the same. */
export class MomoError extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
    this.mayHavePaid = kind === "unknown";
  }
}
/** @returns {never} */
function fail(kind, message) {
  throw new MomoError(kind, message);
}

/** Orders as files in a folder. Several processes may share it. @param {string} folder @returns {Store} */
export function fileStore(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const path = (key) => `${folder}/${Buffer.from(key).toString("hex")}.json`;
  const draft = (order, file = `${folder}/${randomUUID()}`) => {
    fs.writeFileSync(file, JSON.stringify(order), { flag: "as" }); // O_SYNC: no crash of the machine loses it
    return file;
  };
  return {
    get: (key) => (fs.existsSync(path(key)) ? JSON.parse(fs.readFileSync(path(key), "utf8")) : null),
    add(key, order) {
      const file = draft(order);
      try {
        fs.linkSync(file, path(key));
        return true;
      } catch (error) {
        if (error.code === "EEXIST") return false;
        throw error;
      } finally {
        fs.rmSync(file);
      }
    },
    set: (key, order) => fs.renameSync(draft(order), path(key)),
    remove: (key) => fs.rmSync(path(key)),
  };
}

/** settledMs: if a push is not found this long after it was sent, it has not started.
 * @param {{ baseUrl: string, apiKey: string, apiSecret: string, paymentAccountId: number, store: Store, timeoutMs?: number,
 *   intervalMs?: number, deadlineMs?: number, settledMs?: number, fetch?: any, now?: () => number, sleep?: (ms: number) => Promise<unknown> }} options */
export function createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store, ...options }) {
  const { timeoutMs = 10_000, intervalMs = 5000, deadlineMs = 120_000, settledMs = 600_000 } = options;
  const { fetch = globalThis.fetch, now = Date.now, sleep = pause } = options;

  /** Starts a payment and waits, or goes on with it. @param {string} reference @param {string} phone @param {number | string} amount */
  const pay = async (reference, phone, amount) => wait((await start(reference, phone, amount)).reference);

  /** Starts a payment, or returns what is stored of it. It never pushes twice.
   * @param {string} reference @param {string} phone @param {number | string} amount */
  async function start(reference, phone, amount) {
    const [key, charge, at] = [keyOf(reference), chargeOf(phone, amount), now()];
    const order = { reference, ...charge, status: "unknown", checkout_request_id: null, started_at: at, asked_at: at };
    if (!store.add(key, order)) {
      const known = get(key);
      if (known.phone === charge.phone && known.amount === charge.amount) return known;
      fail("usage", `${reference} is an order of ${known.phone} for ${known.amount} already`);
    }
    try {
      const body = { payment_account_id: paymentAccountId, ...charge, reference: `${reference}~`.slice(0, 100) };
      return save(key, await call("/stkpush.php", body));
    } catch (error) {
      if (error.kind === "unknown") return order; // it may have been received: wait looks for it
      if (error.kind) store.remove(key);
      throw error;
    }
  }

  /** Asks until the status is final or the deadline has come. If no answer comes, the status stays as it was. @param {string} reference */
  async function wait(reference) {
    const [key, untilMs] = [keyOf(reference), now() + deadlineMs];
    let order = await ask(key);
    for (; !isFinal(order) && now() < untilMs; order = await ask(key)) await sleep(intervalMs);
    return isFinal(order) ? order : { ...order, may_have_paid: true };
  }

  async function ask(key) {
    const [order, at] = [get(key), now()];
    if (isFinal(order) || Math.abs(at - order.asked_at) < intervalMs) return order;
    store.set(key, { ...order, asked_at: at }); // others that wait for it do not ask as well
    try {
      const { reference, phone, amount, started_at, checkout_request_id } = order;
      if (checkout_request_id) return save(key, await call("/status.php", { checkout_request_id }));
      const row = await find(reference, phone, amount, started_at);
      const isOver = at - started_at >= settledMs && !get(key).checkout_request_id;
      return save(key, row ?? (isOver ? { status: "not_started" } : {}));
    } catch (error) {
      if (error.kind && error.kind !== "credentials") return order;
      throw Object.assign(error, { mayHavePaid: true });
    }
  }

  const get = (key) => store.get(key) ?? fail("refused", `${key} has not been started`);
  function save(key, answer) {
    const order = get(key); // others may have been faster
    if (isFinal(order)) return order;
    if (answer.status === "pending" || isFinal(answer)) order.status = answer.status;
    order.checkout_request_id ??= answer.checkout_request_id ?? null;
    store.set(key, order);
    return order;
  }

  /** The payment of an order, or null. Rows carry no reference: phone, amount and time (`at` or later) are compared too.
   * @param {string} reference @param {string} phone @param {number | string} amount */
  async function find(reference, phone, amount, at = 0) {
    const [, { phone: to, amount: value }] = [keyOf(reference), chargeOf(phone, amount)];
    const day = new Date(at - 75_600_000).toISOString().replace("T", " "); // a day before, in Nairobi
    const isOwn = (row) => row.amount === value && row.phone?.endsWith(to.slice(3)) && row.created_at >= day;
    const first = async (search) => (await list({ search })).find(isOwn) ?? null;
    return (await first(`${reference}~`.slice(0, 100))) ?? (at ? null : first(reference)); // other programs push it as it is
  }

  /** All rows, newest first: none twice, none left out, also while payments arrive.
   * @param {{ search?: string, status?: string, date_from?: string, date_to?: string }} [filters] @returns {Promise<any[]>} */
  async function list({ status, ...filters } = {}) {
    const rows = new Map(); // statuses change while the pages are read, so the service must not filter by them
    for (let page = 1; ; page += 1) {
      const query = new URLSearchParams({ ...filters, page: String(page), limit: "100" });
      const { data, transactions: shown = data } = await call(`/transactions.php?${query}`.replaceAll("+", "%20"));
      const isList = Array.isArray(shown) && shown.every((row) => row?.id) && page * 50 <= rows.size + 1000;
      if (!isList) fail("unknown", "/transactions.php: no list, or the same page again and again");
      for (const row of shown) rows.set(row.id, row);
      if (shown.length < 100) return [...rows.values()].filter((row) => !status || row.status === status);
    }
  }

  /** The answer, if it is the service's and a success. */
  async function call(path, json) {
    const headers = { "X-API-Key": apiKey, "X-API-Secret": apiSecret, "Content-Type": "application/json" };
    const request = { method: json ? "POST" : "GET", headers, body: json && JSON.stringify(json), redirect: "manual" };
    let [kind, message, text] = ["unknown", "no answer of the service", ""];
    try {
      const { status, body } = await fetch(baseUrl + path, { ...request, signal: AbortSignal.timeout(timeoutMs) });
      for await (const part of body?.pipeThrough(new TextDecoderStream("utf-8", { fatal: true })) ?? [])
        text += text.length < 10_000_000 ? part : fail("unknown", "it does not end");
      const answer = JSON.parse(text);
      if (status === 200 && answer.success === true) return answer;
      const isRefusal = status >= 400 && status < 500 && ![408, 429].includes(status) && answer.success === false;
      if (isRefusal) kind = status === 401 ? "credentials" : "refused";
      message = `${status} ${answer.message}`;
    } catch (error) {
      if (UNSENT.test(`${error.code} ${error.cause?.code} ${error.cause?.message}`)) kind = "unreachable";
      message += ` (${error.cause?.message || error.message})`;
    }
    return fail(kind, `${path}: ${message}`);
  }
  return { pay, start, wait, find, list };
}

const checked = (what, value, pattern, rule) =>
  pattern.exec(String(value)) ?? fail("usage", `${what} must be ${rule}; it is ${JSON.stringify(value)}`);
function keyOf(reference) {
  const rule = "1 to 100 printable characters of ASCII without ~, no space at its ends";
  return checked("reference", reference, /^(?! )[ -}]{1,100}(?<! )$/, rule)[0].toLowerCase(); // the service ignores the case
}
function chargeOf(phone, amount) {
  const digits = String(phone).replace(/[ ().-]/g, "");
  const [, number] = checked("phone", digits, /^(?:\+?254|0|(?=[17]\d{8}$))(\d{9})$/, "such as 0712345678");
  const rule = "a number from 1, with two decimals at most";
  return { phone: `254${number}`, amount: Number(checked("amount", amount, /^[1-9]\d{0,8}(\.\d{1,2})?$/, rule)[0]) };
}

const [, script = "", command, ...payment] = process.argv;
if (fs.existsSync(script) && [script, fs.realpathSync(script)].some((path) => urlOf(path).href === import.meta.url)) {
  const names = ["MOMO_BASE_URL", "MOMO_API_KEY", "MOMO_API_SECRET", "MOMO_PAYMENT_ACCOUNT_ID"];
  const [baseUrl, apiKey, apiSecret, account] = names.map((name) => process.env[name]);
  try {
    const isSet = /^(pay|find)$/.test(command) && payment.length === 3 && baseUrl && apiKey && apiSecret && account > 0;
    if (!isSet) fail("usage", `client.mjs pay|find REFERENCE PHONE AMOUNT, with ${names.join(", ")}`);
    const store = fileStore(process.env.MOMO_ORDERS || "momo-orders");
    const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId: Number(account), store });
    const result = await momo[command](...payment);
    console.log(JSON.stringify(result));
    process.exitCode = result ? (CODES[result.status] ?? 13) : 3;
  } catch ({ kind = "unexpected", message }) {
    console.log(JSON.stringify({ error: { code: kind, message } }));
    process.exitCode = ERRORS[kind] ?? 1;
  }
}
