#!/usr/bin/env node
// A client for the mobile-money API in one file, for Node 20 and later, Bun and Deno. Copy it into your program, and keep it.
//
//   const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store: fileStore("orders") });
//   const { status } = await momo.pay("ORDER-1", "0712345678", 100); // completed: deliver, once for each order
//
// A reference is an order. It is stored before the push, pushed once, and never again: after a failure, a new try needs a new reference,
// such as ORDER-1-2. Called again with the same reference (after a crash, at the deadline), pay goes on where it was.
// Statuses: completed, failed, cancelled, expired, not_started (known, for good); pending, unknown (may be paid: ask again later).

import { createHash } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, env, pid } from "node:process";
import { pathToFileURL } from "node:url";

/** @typedef {{ reference: string, phone: string, amount: number, at: number, id?: string, status?: string }} Order */
/** @typedef {{ add(key: string, order: Order): Order | null, get(key: string): Order | null, set(key: string, order: Order): void,
 *   remove(key: string): void }} Store add returns the order that is there already, or null if it was added */

const FINAL = ["completed", "failed", "cancelled", "expired", "not_started"];
const DAY_MS = 86_400_000;

/** `kind`: usage, refused, credentials, unreachable, unknown. `mayHavePaid` says whether the customer may have paid all the same. */
export class MomoError extends Error {
  /** @param {string} kind @param {string} message */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
    this.mayHavePaid = kind === "unknown";
  }
}

/** Orders as files in a folder. Several processes may share it. @param {string} folder @returns {Store} */
export function fileStore(folder) {
  mkdirSync(folder, { recursive: true });
  const path = (/** @type {string} */ key) => join(folder, `${createHash("sha256").update(key).digest("hex")}.json`);
  let written = 0;
  /** @param {Order} order */
  function draft(order) {
    written += 1;
    const file = join(folder, `.${pid}-${written}`);
    writeFileSync(file, JSON.stringify(order), { flush: true });
    return file;
  }
  /** @param {string} key */
  function get(key) {
    try {
      return JSON.parse(readFileSync(path(key), "utf8"));
    } catch (error) {
      if (error.code === "ENOENT") return null;
      throw error;
    }
  }
  return {
    get,
    add(key, order) {
      const file = draft(order);
      try {
        linkSync(file, path(key)); // of two at once, one fails
        return null;
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
        return get(key);
      } finally {
        rmSync(file);
      }
    },
    set: (key, order) => renameSync(draft(order), path(key)),
    remove: (key) => rmSync(path(key), { force: true }),
  };
}

/** @param {{ baseUrl: string, apiKey: string, apiSecret: string, paymentAccountId: number, store: Store, timeoutMs?: number,
 *   intervalMs?: number, deadlineMs?: number, settledMs?: number, fetch?: any, now?: () => number, sleep?: (ms: number) => Promise<void> }} options
 *   settledMs: a push that is nowhere so long after it was sent has not started */
export function createClient(options) {
  const { baseUrl, apiKey, apiSecret, paymentAccountId, store, timeoutMs = 10_000, intervalMs = 5000 } = options;
  const { deadlineMs = 120_000, settledMs = 600_000, now = Date.now, fetch = globalThis.fetch } = options;
  const sleep =
    options.sleep ??
    ((ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      }));
  /** @type {Map<string, Promise<any>>} one run for each order, so that two do not ask too often */
  const running = new Map();

  /** @param {string} path @param {object} [body] @returns {Promise<any>} the answer, if it is the service's and a success */
  async function call(path, body) {
    const headers = { "X-API-Key": apiKey, "X-API-Secret": apiSecret, "Content-Type": "application/json" };
    const method = body ? "POST" : "GET";
    const request = { method, headers, body: body && JSON.stringify(body), redirect: "manual" };
    let response, answer;
    try {
      response = await fetch(baseUrl + path, { ...request, signal: AbortSignal.timeout(timeoutMs) });
      answer = await response.json();
    } catch (error) {
      const code = error.cause?.code ?? error.code;
      const isUnsent = ["ECONNREFUSED", "ENOTFOUND", "ConnectionRefused"].includes(code);
      throw new MomoError(isUnsent ? "unreachable" : "unknown", `${path}: no answer of the service (${error.message})`);
    }
    if (response.status === 200 && answer?.success === true) return answer;
    const { status } = response;
    const isRefusal = status >= 400 && status < 500 && ![408, 429].includes(status) && answer?.success === false;
    const kind = !isRefusal ? "unknown" : status === 401 ? "credentials" : "refused";
    throw new MomoError(kind, `${path}: ${status} ${answer?.message ?? ""}`);
  }

  /** Starts a payment, or returns what is stored of it. It never pushes twice.
   * @param {string} reference @param {string} phone @param {number} amount */
  async function start(reference, phone, amount) {
    const key = keyOf(reference);
    const wanted = { reference, phone: phoneOf(phone), amount: amountOf(amount), at: now() };
    const known = store.add(key, wanted);
    if (known) {
      if (known.phone === wanted.phone && known.amount === wanted.amount) return known;
      throw new MomoError("usage", `reference ${reference} is an order of ${known.phone} for ${known.amount} already`);
    }
    const body = { payment_account_id: paymentAccountId, phone: wanted.phone, amount, reference: sent(reference) };
    try {
      const { checkout_request_id } = await call("/stkpush.php", body);
      return save(key, { ...wanted, id: checkout_request_id });
    } catch (error) {
      if (!(error instanceof MomoError)) throw error;
      if (error.kind === "unknown") return wanted; // it may have been received: wait looks for it
      store.remove(key);
      throw error;
    }
  }

  /** @param {string} key @param {Order} order */
  function save(key, order) {
    store.set(key, order);
    return order;
  }

  /** Asks until the status is final or the deadline has come, and never takes no answer for an answer. @param {string} reference */
  async function wait(reference) {
    const key = keyOf(reference);
    const run = running.get(key) ?? follow(key, reference).finally(() => running.delete(key));
    running.set(key, run);
    return run;
  }

  /** @param {string} key @param {string} reference */
  async function follow(key, reference) {
    const untilMs = now() + deadlineMs;
    for (;;) {
      const order = store.get(key);
      if (!order) throw new MomoError("refused", `reference ${reference} has no payment that was started`);
      if (isFinal(order) || now() >= untilMs) return resultOf(order);
      await sleep(intervalMs);
      try {
        await ask(key);
      } catch (error) {
        if (!(error instanceof MomoError) || error.kind === "credentials") throw error;
      }
    }
  }

  /** @param {string} key */
  async function ask(key) {
    const order = store.get(key);
    if (!order || isFinal(order)) return;
    if (order.id) {
      const { status } = await call("/status.php", { checkout_request_id: order.id });
      const isKnown = isFinal(store.get(key) ?? order); // another process may have been faster
      if (["pending", ...FINAL].includes(status) && !isKnown) save(key, { ...order, status });
      return;
    }
    const askedMs = now();
    const row = await find(order.reference, order);
    const later = store.get(key); // the answer to the push may have come meanwhile
    if (!later || later.id) return;
    if (row) save(key, { ...later, id: row.checkout_request_id });
    else if (askedMs - order.at >= settledMs) save(key, { ...later, status: "not_started" });
  }

  /** The payment of an order, newest first, or null. Rows carry no reference: phone, amount and time are compared too.
   * @param {string} reference @param {{ phone: string, amount: number, at?: number }} order at: when it was started, or before */
  async function find(reference, { phone, amount, at = 0 }) {
    keyOf(reference);
    const rows = await list({ search: sent(reference) });
    const isOwn = (/** @type {any} */ row) =>
      row.phone === phoneOf(phone) && row.amount === amount && timeOf(row.created_at) > at - DAY_MS;
    return rows.find(isOwn) ?? null;
  }

  /** All rows, newest first: none twice, none left out, also while payments arrive.
   * @param {{ search?: string, status?: string, date_from?: string, date_to?: string }} [filters] */
  async function list({ status, ...filters } = {}) {
    const rows = new Map();
    let repeated = 0;
    for (let page = 1; ; page += 1) {
      const query = new URLSearchParams({ ...filters, page: String(page), limit: "100" });
      const answer = await call(`/transactions.php?${String(query).replaceAll("+", "%20")}`);
      const shown = answer.transactions ?? answer.data;
      if (!Array.isArray(shown)) throw new MomoError("unknown", "/transactions.php: an answer without a list");
      const before = rows.size;
      for (const row of shown) rows.set(row.id ?? row.checkout_request_id, row);
      if (rows.size === before) repeated += 1;
      if (repeated > 20) throw new MomoError("unknown", "/transactions.php: it answers the same page again and again");
      // A status changes while the pages are read, so the service must not filter by it.
      if (shown.length < 100) return [...rows.values()].filter((row) => !status || row.status === status);
    }
  }

  /** Starts a payment and waits, or goes on with it. @param {string} reference @param {string} phone @param {number} amount */
  async function pay(reference, phone, amount) {
    await start(reference, phone, amount);
    return wait(reference);
  }

  return { pay, start, wait, find, list };
}

/** With its end marked, no reference is the start of another one or of a phone. @param {string} reference */
const sent = (reference) => `${reference}~`;
const isFinal = (/** @type {Order} */ { status }) => status !== undefined && FINAL.includes(status);
const timeOf = (/** @type {string} */ text) => Date.parse(`${text.replace(" ", "T")}+03:00`);

/** @param {Order} order */
function resultOf({ reference, phone, amount, id = undefined, status = "unknown" }) {
  const may_have_paid = ["completed", "pending", "unknown"].includes(status);
  return { reference, phone, amount, status, may_have_paid, checkout_request_id: id ?? null };
}

/** The service does not distinguish letter cases. @param {string} reference */
function keyOf(reference) {
  if (typeof reference === "string" && /^(?! )[ -}]{1,99}(?<! )$/.test(reference)) return reference.toLowerCase();
  const rule = "1 to 99 printable ASCII characters without ~, no space at its ends";
  throw new MomoError("usage", `reference must be ${rule}; it is ${JSON.stringify(reference)}`);
}

/** @param {string} phone */
function phoneOf(phone) {
  const found = /^(?:\+?254|0)?([0-9]{9})$/.exec(String(phone).replace(/[ ().-]/g, ""));
  if (!found) throw new MomoError("usage", `phone must be such as 0712345678; it is ${JSON.stringify(phone)}`);
  return `254${found[1]}`;
}

/** @param {number} amount */
function amountOf(amount) {
  if (typeof amount === "number" && amount >= 1 && amount < 1e9 && Number(amount.toFixed(2)) === amount) return amount;
  throw new MomoError(
    "usage",
    `amount must be a number from 1, with two decimals at most; it is ${JSON.stringify(amount)}`,
  );
}

const CODES = { completed: 0, failed: 10, cancelled: 11, expired: 12, pending: 13, unknown: 13, not_started: 5 };
const ERRORS = { usage: 2, credentials: 4, refused: 5, unreachable: 6, unknown: 6 };

async function main() {
  const [command, reference, phone, amount, ...more] = argv.slice(2);
  const isUsed = ["pay", "find"].includes(command) && amount !== undefined && more.length === 0;
  if (!isUsed) throw new MomoError("usage", "client.mjs pay|find REFERENCE PHONE AMOUNT");
  const { MOMO_BASE_URL, MOMO_API_KEY, MOMO_API_SECRET, MOMO_PAYMENT_ACCOUNT_ID, MOMO_ORDERS = "momo-orders" } = env;
  if (!MOMO_BASE_URL || !MOMO_API_KEY || !MOMO_API_SECRET || !MOMO_PAYMENT_ACCOUNT_ID) {
    throw new MomoError(
      "usage",
      "MOMO_BASE_URL, MOMO_API_KEY, MOMO_API_SECRET and MOMO_PAYMENT_ACCOUNT_ID must be set",
    );
  }
  const keys = { baseUrl: MOMO_BASE_URL, apiKey: MOMO_API_KEY, apiSecret: MOMO_API_SECRET };
  const paymentAccountId = Number(MOMO_PAYMENT_ACCOUNT_ID);
  const momo = createClient({ ...keys, paymentAccountId, store: fileStore(MOMO_ORDERS) });
  const number = amountOf(Number(amount));
  const result =
    command === "pay"
      ? await momo.pay(reference, phone, number)
      : await momo.find(reference, { phone, amount: number });
  console.log(JSON.stringify(result));
  process.exitCode = result === null ? 3 : CODES[result.status];
}

if (argv[1] && import.meta.url === pathToFileURL(argv[1]).href) {
  main().catch((error) => {
    console.log(JSON.stringify({ error: { code: error.kind ?? "unexpected", message: error.message } }));
    process.exitCode = ERRORS[error.kind] ?? 1;
  });
}
