// A client for the mobile-money API in one file, for Node 18 and later, Bun and Deno. Copy it into your program.
//   const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store: fileStore("/srv/orders") });
//   const order = await momo.pay("ORDER-0001", "0712345678", 100);
// A reference (its case does not matter) names one order: it is stored, then pushed once. A new try needs a new one.
//   pending, unknown             not final: may_have_paid, and a reason; unknown: the answer to the push was lost
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the network refused the push, or none arrived; ask finds one that comes late
// A web request calls start; every 5 s, its page asks your server, which calls ask. So do a webhook (may be forged) and
// a cron, for each unpaid order, also if one fails. Book what is completed: UPDATE … WHERE id = ? AND paid = false; if
// a row changed, deliver. An error with mayHavePaid false pushed nothing. In tests, sleep and now are the sandbox's.
// open() lists what is not final; it fails if an order cannot be read. KEY is stored as it was started, KEY~pending as
// accepted, KEY~ended as it ended: these never change. SERVICE_REFERENCE~asked counts the time of looks in vain.
import { createHash, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const FINAL_STATUSES = { completed: 0, failed: 10, cancelled: 11, expired: 12, not_started: 5 }; // with exit codes
const ERRORS = { store: 1, usage: 2, not_found: 3, credentials: 4, refused: 5, unreachable: 6, unknown: 6 };
const REFUSALS = { 400: "refused", 401: "credentials", 403: "refused", 404: "refused", 405: "refused" };
const ADDRESS = /^https?:[/][/]([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?([/][^\s?#]*)?$/i;
const UNSENT = /^(connect|getaddrinfo) |REFUSED|INVALID_URL|SELF_SIGNED|CERT_|UNABLE|WRONG_VERSION|CONNECT_TIMEOUT/i;
const COMMANDS = { pay: 3, start: 3, find: 3, wait: 1, ask: 1, open: 0 }; // with the number of their arguments
const KEY = /^(?! )[ -}]{1,87}(?<! )$/; // the service ignores the case
const USAGE = "the command must be client.mjs pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open";
export class MomoError extends Error {
  constructor(kind, message, { mayHavePaid = true } = {}) {
    super(message);
    this.kind = kind; // one of ERRORS; unreachable: nothing was sent; unknown: no answer
    this.mayHavePaid = mayHavePaid; // false: this call pushed nothing
  }
}

/** Keeps values as files, for programs in all languages. A table needs these functions: momo help table-store.mjs */
export function fileStore(/** @type {string} */ folder) {
  check(folder, /^([/\\]|[a-z]:)/i, "the folder of the orders", "an absolute path, such as /srv/orders");
  const pathOf = (name) => `${folder}/${Buffer.from(name).toString("hex")}.json`;
  return {
    get(name) {
      try {
        return { ...JSON.parse(fs.readFileSync(pathOf(name), "utf8")) }; // also if it is null
      } catch (error) {
        if (error.code === "ENOENT") return null;
        throw error;
      }
    },
    /** Keeps a value that is there, unless it replaces it, for all processes. A crash leaves no half value. */
    add(name, value, { replaces = false } = {}) {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const draft = `${folder}/draft-${randomBytes(16).toString("hex")}`;
      try {
        fs.writeFileSync(draft, JSON.stringify(value), { flag: "as", mode: 0o600 }); // s: wait for the disk
        if (replaces) fs.renameSync(draft, pathOf(name));
        else fs.linkSync(draft, pathOf(name));
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
      } finally {
        fs.rmSync(draft, { force: true });
      }
      if (process.platform === "win32") return; // Windows syncs no folders
      const opened = fs.openSync(folder, "r");
      fs.fsyncSync(opened);
      fs.closeSync(opened);
    },
    remove: (name) => fs.rmSync(pathOf(name), { force: true }),
    names() {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const files = fs.readdirSync(folder).filter((file) => /^([2-7][0-9a-f])+[.]json$/.test(file));
      return files.sort().map((file) => Buffer.from(file.replace(".json", ""), "hex").toString());
    },
  };
}
/** Times are in milliseconds. An order is not_started after notStartedAfterMs of looks (an interval each at most). */
export function createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store, ...options }) {
  const { timeoutMs = 10_000, intervalMs = 5000, deadlineMs = 120_000, notStartedAfterMs = 600_000 } = options;
  const { fetch = globalThis.fetch, now = Date.now, sleep = pause } = options;
  const address = check(baseUrl, ADDRESS, "baseUrl (MOMO_BASE_URL)", "such as https://host/v2").replace(/[/]+$/, "");
  check(apiKey, /^[!-~]+$/, "apiKey (MOMO_API_KEY)", "ASCII without spaces");
  check(apiSecret, /^[!-~]+$/, "apiSecret (MOMO_API_SECRET)", "ASCII without spaces");
  const account = check(paymentAccountId, /^[1-9]\d{0,14}$/, "account (MOMO_PAYMENT_ACCOUNT_ID)", "a number");
  const headers = { "X-API-Key": apiKey, "X-API-Secret": apiSecret, "Content-Type": "application/json" };
  const service = `${address}, account ${account}`;
  const get = (name) => useStore(name, async () => (await store.get(name)) ?? null);
  const find = async (reference, phone, amount) => findPayment(newOrder(reference, phone, amount));
  const pay = async (reference, phone, amount) => wait(reference, await start(reference, phone, amount));

  /** Stores an order, and pushes it. If it is stored already, it is returned, and nothing is pushed. */
  async function start(reference, phone, amount) {
    const key = keyOf(reference);
    const order = newOrder(reference, phone, amount);
    order.service_reference += randomBytes(4).toString("hex"); // of no earlier order
    if ((await get(key)) === null) await useStore(key, () => store.add(key, order), { mayHavePaid: false });
    const kept = await read(key); // of another process, or ended by one while this one stood still
    const isSame = kept.phone === order.phone && kept.amount === order.amount;
    if (!isSame) throw new MomoError("usage", `${key} is already an order of another phone or amount`);
    if (kept.service_reference !== order.service_reference || !kept.may_have_paid) return kept;
    const body = { reference: order.service_reference, phone: order.phone, amount: order.amount };
    let payment;
    try {
      payment = await call("/stkpush.php", { payment_account_id: Number(account), ...body });
      payment.status = "pending";
    } catch (error) {
      if (error.kind !== "unknown" && error.kind !== "not_started") {
        await useStore(key, () => store.remove(key), { mayHavePaid: false }); // nothing was pushed
        throw error;
      }
      payment = { status: error.kind, result_desc: error.message };
    }
    await useStore(key, () => store.remove(`${order.service_reference}~asked`)); // earlier looks say nothing
    return record(key, order, payment, payment.status === "unknown" ? payment.result_desc : null);
  }

  async function wait(reference, started = null) {
    const pauseMs = Math.max(100, Math.min(intervalMs, deadlineMs));
    let order = started ?? (await ask(reference));
    let waitedMs = 0;
    while (order.may_have_paid && waitedMs < deadlineMs) {
      await sleep(pauseMs);
      const beganMs = performance.now();
      order = await ask(reference);
      waitedMs += pauseMs + performance.now() - beganMs; // no jump of now() ends or prolongs it
    }
    return order;
  }

  /** Asks for an order once, now. If no answer comes, it stays as it was. If the service refuses, this throws. */
  async function ask(reference) {
    const key = keyOf(reference);
    const order = await read(key);
    if ((await get(`${key}~ended`)) !== null) return order;
    try {
      const payment = await findPayment(order);
      if (payment !== null) return await record(key, order, payment);
      await countNotFound(order);
      return await read(key, "the service shows no payment");
    } catch (error) {
      if (error.kind !== "unknown" && error.kind !== "unreachable") throw error;
      return read(key, error.message);
    }
  }

  async function open() {
    const names = new Set(await useStore("the folder", () => store.names()));
    const keys = [...names].filter((name) => !name.includes("~") && !names.has(`${name}~ended`));
    const orders = await Promise.all(keys.map(stored));
    return orders.filter((order) => order?.may_have_paid);
  }

  /** The order as it is stored, without a question to the service, or null. */
  async function stored(reference) {
    const key = keyOf(reference);
    const order = (await get(`${key}~ended`)) ?? (await get(`${key}~pending`)) ?? (await get(key));
    if (order === null) return null;
    const text = `${key} is an order of ${order.service ?? "another program"}, not of ${service}: use another folder`;
    if (order.service !== service) throw new MomoError("usage", text);
    for (const part of ["reference", "service_reference", "phone", "amount", "status"])
      if (!order[part]) throw new MomoError("store", `${key} cannot be read: it has no ${part}`);
    const asked = await get(`${order.service_reference}~asked`);
    const isNowhere = await useStore(key, () => asked?.clocks?.some((one) => one.not_found_ms >= notStartedAfterMs));
    if (order.status === "unknown" && isNowhere)
      Object.assign(order, { status: "not_started", result_desc: "not found in time" });
    order.may_have_paid = !Object.hasOwn(FINAL_STATUSES, order.status);
    return order;
  }

  async function list(filters = {}) {
    const rows = new Map();
    for (let page = 1; page <= 10_000; page += 1) {
      const answer = await call(`/transactions.php?${new URLSearchParams({ ...filters, page, limit: 100 })}`);
      const pageRows = answer.transactions ?? answer.data;
      const isList = Array.isArray(pageRows) && pageRows.every((row) => row?.id);
      if (!isList) throw new MomoError("unknown", "/transactions.php: the answer has no list of payments");
      const isNew = pageRows.some(({ id }) => !rows.has(id));
      for (const row of pageRows) rows.set(row.id, row);
      const pages = answer.pagination?.total_pages;
      const isLast = Number.isInteger(pages) ? page >= pages : !isNew && pageRows.length < 100;
      if (isLast) return [...rows.values()];
      if (!isNew) break;
    }
    throw new MomoError("unknown", "/transactions.php: a list without its end");
  }

  function newOrder(reference, phone, amount) {
    const digits = String(phone).replace(/[\s().-]/g, "");
    check(digits, /^([+]?254|0|(?=[17]\d{8}$))\d{9}$/, "the phone", "such as 0712345678");
    check(amount, /^[1-9]\d{0,8}([.]\d{1,2})?$/, "the amount", "from 1, two decimals at most");
    const tag = createHash("sha256").update(keyOf(reference)).digest("hex").slice(0, 4);
    const empty = { status: "unknown", checkout_request_id: null, receipt: null, result_code: null, result_desc: null };
    return {
      service,
      reference: String(reference),
      service_reference: `${reference}~${tag}`, // a reference with the same end has another tag
      phone: `254${digits.slice(-9)}`,
      amount: Number(amount),
      ...empty,
    };
  }

  /** The payment of an order, or null. Of several with its reference, one must be paid, or all have ended. */
  async function findPayment(order) {
    const id = order.checkout_request_id;
    const payments = id ? [await call("/status.php", { checkout_request_id: id })] : await findByReference(order);
    const isOfAnother = id && (payments[0].checkout_request_id ?? id) !== id;
    if (isOfAnother) throw new MomoError("unknown", `/status.php: the answer is not of ${id}`);
    const statuses = payments.map(({ status }) => status ?? null);
    if (statuses.includes("completed")) return payments[statuses.indexOf("completed")];
    const isUnpaid = statuses.every((status) => ["failed", "cancelled", "expired"].includes(status));
    if (isUnpaid || (statuses.length === 1 && statuses[0] === "pending")) return payments[0] ?? null;
    throw new MomoError("unknown", `the service shows ${JSON.stringify(statuses)}`);
  }

  /** Its payments by reference, or else by phone (§4.3). Empty only if none can be its own, as a masked one can be. */
  async function findByReference(order) {
    const { reference, service_reference, phone, amount } = order;
    const isReadable = (row) => /^[+]?\d{9,15} \d{1,15}([.]\d+)?$/.test(`${row.phone} ${row.amount}`);
    const isOwn = (row) => String(row.phone).endsWith(phone.slice(3)) && Number(row.amount) === amount;
    const found = await list({ search: service_reference });
    const own = found.filter((row) => isReadable(row) && isOwn(row));
    // A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
    if (own.length > 0 && (await list({ search: `${service_reference.slice(0, -1)}x` })).length === 0) return own;
    const rows = [...(await list({ search: phone })), ...(await list({ search: `0${phone.slice(3)}` }))]; // or as 07…
    const names = await useStore("the folder", () => store.names());
    const others = await Promise.all(names.filter((name) => !name.startsWith(`${keyOf(reference)}~`)).map(get));
    const ids = others.map((other) => other?.checkout_request_id).filter(Boolean);
    const rest = rows.filter((row) => (isOwn(row) || !isReadable(row)) && !ids.includes(row.checkout_request_id));
    if (found.length === 0 && rest.length === 0) return [];
    throw new MomoError("unknown", `the service shows a payment that can be that of ${reference}`);
  }

  async function call(path, body) {
    const request = { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), redirect: "manual" };
    let status = 0;
    let answer = null;
    let kind = "unknown"; // without a refusal, it may have been pushed
    try {
      const response = await fetch(address + path, { ...request, signal: AbortSignal.timeout(timeoutMs) });
      status = response.status;
      answer = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await response.arrayBuffer()));
    } catch (error) {
      const { syscall, code, message } = error.cause ?? error;
      if (status === 0 && UNSENT.test(`${syscall ?? ""} ${code}`)) kind = "unreachable";
      answer = { message: `${path}: no answer of the service (${status || message || code})` };
    }
    if (status === 200 && answer?.success === true) return answer;
    const message = String(answer?.message || `${path}: HTTP ${status}`);
    const isDenied = path === "/stkpush.php" && message.startsWith("STK push initiation failed"); // §4.1
    if (answer?.success === false) kind = REFUSALS[status] ?? (isDenied && status === 500 ? "not_started" : "unknown");
    throw new MomoError(kind, message, { mayHavePaid: kind === "unknown" || path !== "/stkpush.php" });
  }

  /** Clocks differ, and jump: each counts from its own last look, an interval at most. Those ahead come first. */
  async function countNotFound(order) {
    const name = `${order.service_reference}~asked`;
    const nowMs = Math.round(now());
    const clocks = (await get(name))?.clocks ?? [];
    const ahead = clocks.filter(({ asked_ms }) => asked_ms > nowMs);
    const longestMs = Math.max(0, ...clocks.map(({ not_found_ms }) => not_found_ms));
    const [own = { asked_ms: nowMs, not_found_ms: longestMs }, ...behind] = clocks.slice(ahead.length);
    const countedMs = own.not_found_ms + Math.min(nowMs - own.asked_ms, intervalMs);
    const looks = [...ahead, { asked_ms: nowMs, not_found_ms: Math.max(longestMs, countedMs) }, ...behind];
    await useStore(name, () => store.add(name, { clocks: looks.slice(-10) }, { replaces: true }));
  }

  async function record(key, stored, payment, reason = null) {
    if (payment.status !== stored.status) {
      const order = { ...stored, status: payment.status, may_have_paid: !(payment.status in FINAL_STATUSES) };
      order.checkout_request_id ??= payment.checkout_request_id || null;
      order.receipt = payment.momo_receipt_number || null;
      order.result_code = payment.result_code ?? null;
      order.result_desc = payment.result_desc ?? null;
      const name = order.may_have_paid ? `${key}~pending` : `${key}~ended`;
      await useStore(key, () => store.add(name, order)); // beside it: nobody takes back what another has stored
    }
    return read(key, reason);
  }

  async function read(key, reason = null) {
    const order = await stored(key);
    if (order === null) throw new MomoError("not_found", `${key} has not been started with this folder`);
    return reason !== null && order.may_have_paid ? { ...order, reason } : order;
  }
  return { pay, start, wait, ask, open, stored, find, list };
}

const keyOf = (name) => check(name, KEY, "reference", "1 to 87 ASCII characters, no ~, no outer spaces").toLowerCase();
function check(value, pattern, name, expected) {
  const text = String(value ?? "");
  const given = name.startsWith("apiSecret") ? "" : `; it is "${text}"`;
  if (!pattern.test(text)) throw new MomoError("usage", `${name} must be ${expected}${given}`, { mayHavePaid: false });
  return text;
}
async function useStore(name, action, { mayHavePaid = true } = {}) {
  try {
    return await action();
  } catch (error) {
    const warning = mayHavePaid ? "; the customer may have paid" : "";
    throw new MomoError("store", `${name} cannot be read or stored: ${error.message}${warning}`, { mayHavePaid });
  }
}

const [, script = "", command = "", ...args] = process.argv;
const isRun = fs.existsSync(script) && pathToFileURL(fs.realpathSync(script)).href === import.meta.url;
const isBundle = isRun && !/^export function createClient/m.test(fs.readFileSync(script, "utf8"));
if (isRun && !isBundle) void runCommand();

async function runCommand() {
  try {
    if (COMMANDS[command] !== args.length) throw new MomoError("usage", USAGE, { mayHavePaid: false });
    const { MOMO_BASE_URL: baseUrl, MOMO_API_KEY: apiKey, MOMO_API_SECRET: apiSecret, ...env } = process.env;
    const store = fileStore(env.MOMO_ORDERS || fileURLToPath(new URL("momo-orders", import.meta.url)));
    const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId: env.MOMO_PAYMENT_ACCOUNT_ID, store });
    const result = await momo[command](...args);
    console.log(JSON.stringify(result));
    if (command !== "open") process.exitCode = FINAL_STATUSES[result?.status] ?? (result === null ? 3 : 13);
  } catch ({ kind = "unexpected", message, mayHavePaid = true }) {
    console.log(JSON.stringify({ error: { code: kind, message, may_have_paid: mayHavePaid } }));
    process.exitCode = ERRORS[kind] ?? 1;
  }
}
