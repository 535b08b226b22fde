// A client for the mobile-money API in one file, for Node 18 and later, Bun and Deno. Copy it into your program.
//   const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store: fileStore("/srv/orders") });
//   const order = await momo.pay("ORDER-0001", "0712345678", 100);
// A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
//   pending, unknown             not final (may_have_paid, reason); unknown: the answer to the push was lost
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the push was refused or never came; one that comes late opens it again
// An error has mayHavePaid: if it is false, nothing was pushed. A script calls pay, and calls it again after a crash.
// A web request calls start. Its page calls your server every 5 s, and that calls ask(reference). A cron asks, each
// minute, for every order that is not paid in your database. A webhook can be forged: ask for the order of open() with
// its id. Each books what is completed: UPDATE … WHERE id = ? AND paid = false; only if a row changed, deliver.
// A test uses a new folder. To move the sandbox's clock, sleep(ms) moves it; now() returns by how much so far.
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

/** The final statuses and the kinds of errors, with exit codes. unreachable: nothing was sent. unknown: no answer. */
const FINAL = { completed: 0, failed: 10, cancelled: 11, expired: 12, not_started: 5 };
const ERRORS = { store: 1, usage: 2, not_found: 3, credentials: 4, refused: 5, unreachable: 6, unknown: 6 };
const UNPAID = ["failed", "cancelled", "expired"];
const UNASKED = { status: "unknown", checkout_request_id: null, receipt: null, result_code: null, result_desc: null };
const ADDRESS = /^\s*https?:[/][/]([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?([/][^\s?#]*)?\s*$/i;
const UNSENT = /^connect |^getaddrinfo |REFUSED|INVALID_URL|bad port|SELF_SIGNED|CERT_|UNABLE|WRONG_VERSION/i;
export class MomoError extends Error {
  constructor(kind, message, { mayHavePaid = true } = {}) {
    super(message);
    this.kind = kind;
    this.mayHavePaid = mayHavePaid;
  }
}

/** Keeps values as files, for programs in all languages. A store of yours, such as a table, needs these functions. */
export function fileStore(/** @type {string} */ folder) {
  check(folder, /^([/\\]|[a-z]:)/i, "the folder of the orders", "an absolute path, such as /srv/orders");
  const pathOf = (name) => `${folder}/${Buffer.from(name).toString("hex")}.json`;
  return {
    get(name) {
      try {
        const value = JSON.parse(fs.readFileSync(pathOf(name), "utf8"));
        if (value?.constructor !== Object) throw new Error("its file holds no object");
        return value;
      } catch (error) {
        if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
        throw error;
      }
    },
    /** Of several processes, the first adds its own, unless one replaces it. A crash leaves no half file. */
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

/** Times are in milliseconds. An order is not_started if the service has not found it for notStartedAfterMs. */
export function createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store, ...options }) {
  const { timeoutMs = 10_000, intervalMs = 5000, deadlineMs = 120_000, notStartedAfterMs = 600_000 } = options;
  const { fetch = globalThis.fetch, now = Date.now, sleep = pause } = options;
  const address = check(baseUrl, ADDRESS, "baseUrl", "such as https://pay.example/v2").trim().replace(/[/]+$/, "");
  const account = check(paymentAccountId, /^[1-9]\d{0,14}$/, "paymentAccountId", "a whole number from 1");
  const service = `${address}, account ${account}`;
  const key = check(apiKey, /^\s*[!-~]+\s*$/, "apiKey", "ASCII without spaces").trim();
  const secret = check(apiSecret, /^\s*[!-~]+\s*$/, "apiSecret", "ASCII without spaces").trim();
  const headers = { "X-API-Key": key, "X-API-Secret": secret, "Content-Type": "application/json" };
  const pay = async (reference, phone, amount) => wait(reference, await start(reference, phone, amount));
  async function wait(reference, started = null) {
    const pauseMs = Math.max(100, Math.min(intervalMs, deadlineMs));
    let order = started ?? (await ask(reference));
    for (let waitedMs = 0; !isFinal(order) && waitedMs < deadlineMs; waitedMs += pauseMs) {
      await sleep(pauseMs);
      order = await ask(reference);
    }
    return order;
  }

  /** Starts an order. If it is stored already, it is returned, and nothing is pushed. */
  async function start(reference, phone, amount) {
    const key = keyOf(reference);
    const order = {
      service,
      reference: String(reference),
      service_reference: createServiceReference(reference),
      ...parsePayment(phone, amount),
      ...UNASKED,
      asked_ms: Math.round(now()), // when the service has last not found it; at first, now
      not_found_ms: 0, // for how long the service has not found it
    };
    if ((await get(key)) === null) await useStore(key, () => store.add(key, order), { mayHavePaid: false });
    const stored = await read(key); // of another process, or ended by one while this one stood still
    if (stored.service_reference === order.service_reference && !isFinal(stored)) return push(key, order);
    if (stored.phone === order.phone && stored.amount === order.amount) return stored;
    throw new MomoError("usage", `${key} is already an order of another phone or amount`);
  }
  async function push(key, order) {
    const { service_reference: reference, phone, amount } = order;
    let payment;
    try {
      payment = await call("/stkpush.php", { payment_account_id: Number(account), reference, phone, amount });
      payment.status = "pending";
    } catch (error) {
      if (error.kind !== "unknown" && error.kind !== "not_started") {
        await useStore(key, () => store.remove(key), { mayHavePaid: false }); // it was not pushed
        throw error;
      }
      if (error.kind === "unknown") await useStore(key, () => store.remove(`${reference}~asked`)); // of before the push
      payment = { status: error.kind, result_desc: error.message };
    }
    return record(key, order, payment, payment.result_desc);
  }

  /** Asks for an order once, now. If no answer comes, it stays as it was. If the service refuses, this throws. */
  async function ask(reference) {
    const key = keyOf(reference);
    const order = await read(key);
    if (isFinal(order)) return order;
    try {
      const payments = await findPayments(order);
      if (payments.length === 0) await countNotFound(key);
      const statuses = payments.map(({ status }) => JSON.stringify(status ?? null)).join(", ");
      return await record(key, order, decisive(payments), `the service shows ${statuses || "no payment"}`);
    } catch (error) {
      if (error.kind !== "unknown" && error.kind !== "unreachable") throw error;
      return record(key, order, {}, error.message);
    }
  }
  /** The orders that are not final. One that cannot be read is unreadable, and has an error. */
  async function open() {
    const names = new Set(await useStore("the folder", () => store.names()));
    const keys = [...names].filter((name) => !name.includes("~") && !names.has(`${name}~ended`));
    const unreadable = (key, { message }) => ({ reference: key, status: "unreadable", error: message });
    const orders = await Promise.all(keys.map((key) => read(key).catch((error) => unreadable(key, error))));
    return orders.filter((order) => !isFinal(order));
  }
  /** The payment of an order as the list shows it, or null. The order need not be stored. */
  async function find(reference, phone, amount) {
    const order = { reference: keyOf(reference), service_reference: `${reference}~`, ...parsePayment(phone, amount) };
    const payments = await findPayments(order);
    return payments.find(({ status }) => status === "completed") ?? payments[0] ?? null;
  }
  /** All payments, newest first. None is there twice or left out, also if payments arrive meanwhile. */
  async function list(filters = {}) {
    const rows = new Map();
    for (let page = 1, isNew = true; isNew && page <= 10_000; page += 1) {
      const query = new URLSearchParams({ ...filters, page: String(page), limit: "100" });
      const answer = await call(`/transactions.php?${String(query).replaceAll("+", "%20")}`);
      const pageRows = answer.transactions ?? answer.data;
      if (!Array.isArray(pageRows) || !pageRows.every((row) => row?.id)) break;
      isNew = pageRows.some((row) => !rows.has(row.id));
      for (const row of pageRows) rows.set(row.id, row);
      const isLast = page >= (answer.pagination?.total_pages ?? Number.POSITIVE_INFINITY);
      if (isLast || (!isNew && pageRows.length < 100)) return [...rows.values()];
    }
    throw new MomoError("unknown", "/transactions.php: no list, or a list without its end");
  }
  /** The payments of an order: by its id, or else by its reference. A proxy that repeats a push makes several. */
  async function findPayments(order) {
    const { reference, service_reference, checkout_request_id: id, phone } = order;
    if (id) {
      const payment = await call("/status.php", { checkout_request_id: id });
      if ((payment.checkout_request_id ?? id) === id) return [payment];
      throw new MomoError("unknown", `/status.php: the answer is not of ${id}`);
    }
    const found = await list({ search: service_reference });
    // A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
    const isExact = found.length > 0 && (await list({ search: createServiceReference(reference) })).length === 0;
    const payments = found.filter((row) => isExact && isOf(order, row));
    if (payments.length > 0) return payments;
    if (isExact && !service_reference.endsWith("~"))
      throw new MomoError("unknown", `the service shows ${reference} with another phone or amount`);
    // §4.3 promises the search for a phone alone; a service may show phones as 07…
    const rows = [...(await list({ search: phone })), ...(await list({ search: `0${phone.slice(3)}` }))];
    const names = await useStore("the folder", () => store.names());
    const others = names.filter((name) => /~(pending|ended)$/.test(name) && !name.startsWith(`${keyOf(reference)}~`));
    const ids = (await Promise.all(others.map(get))).map((other) => other?.checkout_request_id);
    const isKnown = (row) => ids.includes(row.checkout_request_id || "none");
    if (rows.filter((row) => isOf(order, row)).every(isKnown)) return [];
    throw new MomoError("unknown", `another payment of ${phone} can be that of ${reference}`);
  }
  async function call(path, body) {
    const request = { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), redirect: "manual" };
    let status = 0;
    let answer = null;
    try {
      const response = await fetch(address + path, { ...request, signal: AbortSignal.timeout(timeoutMs) });
      status = response.status;
      let text = "";
      for await (const part of response.body.pipeThrough(new TextDecoderStream("utf-8", { fatal: true }))) {
        text += part;
        if (text.length > 10_000_000) throw new Error("it does not end");
      }
      answer = JSON.parse(text);
    } catch (error) {
      const { syscall, code, message } = error.cause ?? error;
      const isSent = status !== 0 || !UNSENT.test(`${syscall ?? code} ${code} ${message}`);
      const reason = `${path}: no answer of the service (${status || message})`;
      throw new MomoError(isSent ? "unknown" : "unreachable", reason, { mayHavePaid: isSent });
    }
    if (status === 200 && answer?.success === true) return answer;
    const isRefusal = answer?.success === false; // without one, it may have been pushed
    const message = String(answer?.message || `${path}: HTTP ${status}`);
    const isOfService = status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status); // 409: it is there
    let kind = "unknown";
    if (isRefusal && status === 500 && message.startsWith("STK push initiation failed")) kind = "not_started"; // §4.1
    if (isRefusal && isOfService) kind = status === 401 ? "credentials" : "refused";
    throw new MomoError(kind, message, { mayHavePaid: kind === "unknown" || path !== "/stkpush.php" });
  }
  /** Adds the time since the last look, at most the interval: a push can come late, and now() can jump. */
  async function countNotFound(key) {
    const { service_reference, asked_ms, not_found_ms } = await read(key); // another process may have counted
    const nowMs = Math.round(now());
    const elapsedMs = Math.max(0, Math.min(nowMs - asked_ms, intervalMs));
    const asked = { asked_ms: nowMs, not_found_ms: not_found_ms + elapsedMs };
    await useStore(key, () => store.add(`${service_reference}~asked`, asked, { replaces: true }));
  }
  /** An order as it was stored last: each of its states is a file, which is never changed. */
  async function read(key) {
    const stored = (await get(`${key}~ended`)) ?? (await get(`${key}~pending`)) ?? (await get(key));
    if (stored === null) throw new MomoError("not_found", `${key} has not been started with this folder`);
    const usage = `${key} is an order of ${stored.service ?? "another program"}, not of ${service}: use another folder`;
    if (stored.service !== service) throw new MomoError("usage", usage);
    const order = { ...stored, ...(await get(`${stored.service_reference}~asked`)) };
    const isLost = order.status === "unknown" && order.not_found_ms >= notStartedAfterMs;
    if (isLost) return { ...order, status: "not_started", result_desc: "the service did not find it in time" };
    return isFinal(order) ? order : { ...order, may_have_paid: true };
  }
  /** Stores what a payment says beside what is stored: no process takes back what another has stored. */
  async function record(key, stored, payment, reason) {
    const { status, momo_receipt_number: receipt, result_code = null, result_desc = null } = payment;
    if (status !== stored.status && (status === "pending" || isFinal(payment))) {
      const order = { ...stored, status, receipt: receipt || null, result_code, result_desc };
      order.checkout_request_id ??= payment.checkout_request_id || null;
      delete order.may_have_paid; // read adds it
      const state = isFinal(payment) ? "ended" : "pending";
      await useStore(key, () => store.add(`${key}~${state}`, order));
    }
    const order = await read(key); // another process may have been faster, or know more
    return isFinal(order) || status === "pending" ? order : { ...order, reason };
  }
  const get = (name) => useStore(name, () => store.get(name));
  return { pay, start, wait, ask, open, find, list };
}

const isFinal = (order) => Object.hasOwn(FINAL, order.status);
const isOf = ({ phone, amount }, row) => Number(row.amount) === amount && String(row.phone).endsWith(phone.slice(3));
/** The reference for the service, at most 100 characters. The token tells it from an earlier order of this name. */
const createServiceReference = (reference) => `${reference}~${randomBytes(4).toString("hex")}`;
async function useStore(name, action, { mayHavePaid = true } = {}) {
  try {
    return await action();
  } catch (error) {
    const doubt = mayHavePaid ? "; the customer may have paid" : "";
    throw new MomoError("store", `${name} cannot be read or stored: ${error.message}${doubt}`, { mayHavePaid });
  }
}
/** The value as text, if it is right. */
function check(value, pattern, name, right) {
  const text = String(value ?? "");
  const given = name === "apiSecret" ? "" : `; it is "${text}"`;
  if (!pattern.test(text)) throw new MomoError("usage", `${name} must be ${right}${given}`, { mayHavePaid: false });
  return text;
}
function keyOf(reference) {
  const text = check(reference, /^(?! )[ -}]{1,91}(?<! )$/, "reference", "1-91 of ASCII, no ~, no outer spaces");
  return text.toLowerCase(); // the service ignores the case
}
function parsePayment(phone, amount) {
  const digits = String(phone).replace(/[\s().-]/g, "");
  check(digits, /^([+]?254|0|(?=[17]\d{8}$))\d{9}$/, "the phone", "such as 0712345678");
  check(amount, /^[1-9]\d{0,8}([.]\d{1,2})?$/, "the amount", "from 1, two decimals at most");
  return { phone: `254${digits.slice(-9)}`, amount: Number(amount) };
}
/** What payments of one push say together: one that is paid counts, and while one of several is open, none is final. */
function decisive(payments) {
  const isPending = payments.length === 1 && payments[0].status === "pending";
  const isEnded = payments.every(({ status }) => UNPAID.includes(status));
  const paid = payments.find(({ status }) => status === "completed");
  return (isPending || isEnded ? payments[0] : paid) ?? {};
}
const COMMANDS = { pay: 3, start: 3, find: 3, wait: 1, ask: 1, open: 0 }; // with the number of their arguments
const USAGE = "client.mjs pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open";
const [, script = "", command = "", ...args] = process.argv;
const isCommand = Object.hasOwn(COMMANDS, command) || basename(script) === "client.mjs"; // a bundle has another name
if (isCommand && fs.existsSync(script) && pathToFileURL(fs.realpathSync(script)).href === import.meta.url) {
  try {
    const { MOMO_BASE_URL: baseUrl, MOMO_API_KEY: apiKey, MOMO_API_SECRET: apiSecret, ...env } = process.env;
    const refusal = `the command must be ${USAGE}; it is "${[command, ...args].join(" ")}"`;
    if (COMMANDS[command] !== args.length) throw new MomoError("usage", refusal, { mayHavePaid: false });
    const store = fileStore(env.MOMO_ORDERS || `${dirname(fs.realpathSync(script))}/momo-orders`);
    const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId: env.MOMO_PAYMENT_ACCOUNT_ID, store });
    const result = await momo[command](...args);
    console.log(JSON.stringify(result));
    process.exitCode = FINAL[result?.status] ?? (result === null ? 3 : 13); // 3: find has found nothing
    if (command === "open") process.exitCode = result.some(({ error }) => error) ? ERRORS.store : 0;
  } catch ({ kind = "unexpected", message, mayHavePaid = true }) {
    console.log(JSON.stringify({ error: { code: kind, message, may_have_paid: mayHavePaid } }));
    process.exitCode = ERRORS[kind] ?? 1;
  }
}
