// A client for the mobile-money API in one file, for Node 18 and later, Bun and Deno. Copy it into your program.
//   const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, settle, store: fileStore("/orders") });
//   const order = await momo.pay("ORDER-0001", "0712345678", 100);
// settle(order) is yours. It gets each order that has ended, again until it has returned once; calls can overlap.
// In one transaction, UPDATE … SET paid = true … AND paid = false, and if that changes a row, store what is to deliver.
// A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
//   pending                      the customer is asked: show "Look at your phone."
//   unknown                      the answer to the push was lost: the customer may be asked, or not
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the network refused the push, or the service never got it
// While it is pending or unknown, the customer may have paid (may_have_paid): ask again. The others are final. (Only a
// process that stood still for ten minutes before its push was sent can open an order again that is not_started.)
// An order belongs to an address and a payment account: another API key of the account goes on with it.
// A script calls pay, which asks every 5 s, 24 times. Call it again later, also after a crash: it goes on.
// A web request calls start, which returns soon. The page calls your server every 5 s, and that calls ask(reference).
// A cron runs each minute: for (const order of await momo.open()) await momo.ask(order.reference).catch(console.error);
// Anybody can send a webhook. Ask for the order in open() that has its checkout_request_id. Without one, answer 404.
// A test uses a new folder. To move the sandbox's clock, sleep(ms) moves it, and now() returns by how much so far.
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname, isAbsolute } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

/** Exit codes of the command for the final statuses, and for the kinds of errors. */
const FINAL = { completed: 0, failed: 10, cancelled: 11, expired: 12, not_started: 5 };
/** refused: by the service. unreachable: nothing was sent. unknown: the answer was lost. store: it or settle failed. */
const ERRORS = { store: 1, usage: 2, credentials: 4, refused: 5, unreachable: 6, unknown: 6 };
const UNSENT = /CONN(ECTION)?REFUSED|ENOTFOUND|EAI_AGAIN|INVALID_URL|bad port|unknown scheme|SELF_SIGNED|CERT_|UNABLE/i;
/** What is stored of an order is never changed. The first of these counts: a payment, more than that none was found. */
const STATES = ["~ended", "~accepted", "~not_started", ""];
export class MomoError extends Error {
  constructor(kind, message, mayHavePaid = false, cause = undefined) {
    super(mayHavePaid ? `${message}; the customer may have paid` : message, { cause });
    this.kind = kind;
    this.mayHavePaid = mayHavePaid;
  }
}
/** Keeps each value as a file. Processes can share the folder, in all languages. A store of your own, such as a table
 * with a name and a JSON value, needs these functions. They may be async. */
export function fileStore(/** @type {string} */ folder) {
  if (!isAbsolute(folder)) throw refusal("the folder of the orders", "an absolute path, such as /srv/orders", folder);
  const pathOf = (name) => `${folder}/${Buffer.from(name).toString("hex")}.json`;
  /** Writes a whole file, and then gives it its name, with link or rename: a crash leaves no half file. */
  function write(name, value, linkOrRename) {
    fs.mkdirSync(folder, { recursive: true });
    const draft = `${folder}/${randomBytes(16).toString("hex")}.draft`;
    try {
      fs.writeFileSync(draft, JSON.stringify(value), { flag: "as" }); // s: wait for the disk
      linkOrRename(draft, pathOf(name));
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    } finally {
      fs.rmSync(draft, { force: true });
    }
    if (process.platform === "win32") return; // Windows syncs no folders
    const opened = fs.openSync(folder, "r");
    fs.fsyncSync(opened);
    fs.closeSync(opened);
  }
  return {
    get(name) {
      try {
        return JSON.parse(fs.readFileSync(pathOf(name), "utf8"));
      } catch (error) {
        if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
        throw error;
      }
    },
    add: (name, value) => write(name, value, fs.linkSync), // if there is none: the first of several processes adds
    set: (name, value) => write(name, value, fs.renameSync),
    remove: (name) => fs.rmSync(pathOf(name), { force: true }),
    names() {
      fs.mkdirSync(folder, { recursive: true });
      const files = fs.readdirSync(folder).filter((file) => /^([2-7][0-9a-f])+[.]json$/.test(file));
      return files.sort().map((file) => Buffer.from(file.replace(".json", ""), "hex").toString());
    },
  };
}
/** An order is not_started once the service has answered for notStartedAfterMs that it does not find it. */
export function createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store, settle = null, ...options }) {
  const { timeoutMs = 10_000, intervalMs = 5000, deadlineMs = 120_000, notStartedAfterMs = 600_000 } = options;
  const { fetch = globalThis.fetch, now = Date.now, sleep = pause } = options;
  const address = baseUrl.trim().replace(/[/]+$/, "");
  const service = `${address}, account ${paymentAccountId}`;
  const headers = { "X-API-Key": apiKey.trim(), "X-API-Secret": apiSecret.trim(), "Content-Type": "application/json" };
  const pay = async (reference, phone, amount) => waitForEnd(await start(reference, phone, amount));
  const wait = async (reference) => waitForEnd(await ask(reference));
  /** Starts an order. If it is stored already, it is returned, and nothing is pushed. */
  async function start(reference, phone, amount) {
    const key = keyOf(reference);
    const payment = parsePayment(phone, amount);
    const order = {
      service,
      reference: String(reference),
      service_reference: createServiceReference(reference),
      ...payment,
      status: "unknown",
      checkout_request_id: null,
      may_have_paid: true,
      asked_ms: Math.round(now()), // when the service was last asked for it
      not_found_ms: 0, // for how long the service has answered that it does not find it
    };
    if ((await get(key)) === null) await useStore(key, false, () => store.add(key, order));
    const stored = await read(key); // of another process, or ended by one while this one stood still
    if (isFinal(stored) || stored.service_reference !== order.service_reference) {
      if (stored.phone === order.phone && stored.amount === order.amount) return settleEnd(key, stored);
      throw new MomoError("usage", `${key} is already an order of another phone or amount`);
    }
    let answer = {};
    try {
      const push = { payment_account_id: paymentAccountId, ...payment, reference: order.service_reference };
      answer = await call("/stkpush.php", push);
    } catch (error) {
      if (error.kind === "not_started") return record(key, order, { status: error.kind, result_desc: error.message });
      if (error.kind !== "unknown") {
        await useStore(key, false, () => store.remove(key)); // it was not pushed
        throw error;
      }
    }
    if (answer.checkout_request_id) return record(key, order, { ...answer, status: "pending" });
    await recordAsk(order, order.asked_ms, 0); // it may have been pushed: ask looks for it from now on
    await useStore(key, true, () => store.remove(`${key}~not_started`)); // by a process that looked for it before
    return read(key, order);
  }
  /** Asks for an order once, now. If no answer comes, the order stays as it was. If the service refuses to answer, as
   * with 404 for a payment that it had, this throws, and the order stays open: nobody knows if it was paid. */
  async function ask(reference) {
    const key = keyOf(reference);
    const order = await read(key);
    if (isFinal(order)) return settleEnd(key, order);
    const nowMs = Math.round(now());
    const elapsedMs = Math.max(0, Math.min(nowMs - order.asked_ms, intervalMs)); // now() can jump
    await recordAsk(order, nowMs, order.not_found_ms);
    let payment;
    try {
      const id = order.checkout_request_id;
      payment = id ? await call("/status.php", { checkout_request_id: id }) : await search(order);
    } catch (error) {
      if (error.kind === "unknown" || error.kind === "unreachable") return read(key, order);
      error.mayHavePaid = true;
      throw error;
    }
    if (payment === null) {
      const notFoundMs = order.not_found_ms + elapsedMs; // it may come later: a push can take minutes
      await recordAsk(order, nowMs, notFoundMs);
      payment = { status: notFoundMs >= notStartedAfterMs ? "not_started" : "unknown" };
    }
    return record(key, order, payment);
  }
  /** Asks until the order is final, or the deadline has come. */
  async function waitForEnd(order) {
    const pauseMs = Math.max(100, Math.min(intervalMs, deadlineMs));
    for (let waitedMs = 0; !isFinal(order) && waitedMs < deadlineMs; waitedMs += pauseMs) {
      await sleep(pauseMs);
      const stored = await read(keyOf(order.reference), order);
      const isAsked = stored.asked_ms !== order.asked_ms && !isFinal(stored); // by another process, just now
      order = isAsked ? stored : await ask(order.reference);
    }
    return order;
  }
  /** The orders that have not ended, or are not settled. One that cannot be read is unreadable, and has an error. */
  async function open() {
    const orders = [];
    const stored = new Set(await names());
    for (const key of stored) {
      const state = STATES.find((one) => stored.has(key + one));
      const isClosed = settle ? stored.has(`${key}${state}~settled`) : state === "~ended" || state === "~not_started";
      if (key.includes("~") || isClosed) continue;
      orders.push(await read(key).catch(({ message }) => ({ reference: key, status: "unreadable", error: message })));
    }
    return orders.filter((order) => settle !== null || !isFinal(order)); // it can end meanwhile
  }
  /** The payment of an order as the list shows it, or null. The order need not be stored. */
  const find = async (reference, phone, amount) =>
    search({ reference: keyOf(reference), service_reference: `${reference}~`, ...parsePayment(phone, amount) });
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
    throw new MomoError("unknown", "/transactions.php: no list, or a list without its end", true);
  }
  /** Gives an order that has ended to settle, until that has returned once. */
  async function settleEnd(key, order) {
    const name = `${key}${stateOf(order.status)}~settled`;
    if (settle === null || !isFinal(order) || (await get(name))) return order;
    await useStore(key, order.status === "completed", async () => settle(order), "settled");
    await useStore(key, true, () => store.add(name, order));
    return order;
  }
  /** Stores news of a payment beside what is stored: no process takes back what another has stored. */
  async function record(key, started, payment) {
    const stored = await read(key, started); // a file that was removed is written again
    const { status } = payment;
    if (status === stored.status || !(status === "pending" || isFinal(payment))) return stored;
    const order = { ...started, status };
    order.checkout_request_id = stored.checkout_request_id ?? payment.checkout_request_id ?? null;
    order.receipt = payment.momo_receipt_number ?? null;
    order.result_code = payment.result_code ?? null;
    order.result_desc = payment.result_desc ?? null;
    if (isFinal(order)) delete order.may_have_paid;
    await useStore(key, true, () => store.add(key + stateOf(status), order));
    return settleEnd(key, await read(key)); // another process may have been faster, or know more
  }
  /** The payment of an order without an id, or null. Rows have no reference. */
  async function search({ reference, service_reference, phone, amount }) {
    const isOwn = (row) => Number(row.amount) === amount && String(row.phone).endsWith(phone.slice(3));
    const rowsOf = async (text) => (await list({ search: text })).filter(isOwn);
    const own = await rowsOf(service_reference);
    // A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
    const isExact = own.length > 0 && (await list({ search: createServiceReference(reference) })).length === 0;
    if (isExact) return own.find((row) => row.status === "completed") ?? own[0];
    // §4.3 promises the search for a phone alone; a service may show phones as 07…
    const rows = [...own, ...(await rowsOf(phone)), ...(await rowsOf(`0${phone.slice(3)}`))];
    if (rows.length === 0) return null;
    const stored = await Promise.all((await names()).filter((name) => /~(accepted|ended)$/.test(name)).map(get));
    const orderOf = ({ checkout_request_id: id }) => stored.find((order) => id && order.checkout_request_id === id);
    const known = rows.find((row) => orderOf(row)?.reference.toLowerCase() === reference.toLowerCase());
    if (known || rows.every(orderOf)) return known ?? null;
    throw new MomoError("unknown", `another payment of ${phone} for ${amount} can be that of ${reference}`, true);
  }
  /** The answer of the service, if it is a success. */
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
      const isUnsent = status === 0 && UNSENT.test(`${error.code} ${error.cause?.code} ${error.cause?.message}`);
      const reason = `no answer of the service (${status || error.cause?.message || error.message})`;
      throw new MomoError(isUnsent ? "unreachable" : "unknown", `${path}: ${reason}`, !isUnsent);
    }
    if (status === 200 && answer?.success === true) return answer;
    const isRefusal = answer?.success === false; // without one, it may have been pushed
    const isOfNetwork = status === 500 && String(answer?.message).startsWith("STK push initiation failed"); // §4.1
    const isOfService = status >= 400 && status < 500 && status !== 408 && status !== 429;
    let kind = "unknown";
    if (isRefusal && isOfNetwork) kind = "not_started";
    if (isRefusal && isOfService) kind = status === 401 ? "credentials" : "refused";
    throw new MomoError(kind, answer?.message ?? `${path}: HTTP ${status}`, kind === "unknown");
  }
  const recordAsk = ({ service_reference }, asked_ms, not_found_ms) =>
    useStore(service_reference, true, () => store.set(`${service_reference}~asked`, { asked_ms, not_found_ms }));
  const get = (name) => useStore(name, true, () => store.get(name));
  const names = () => useStore("the folder of the orders", true, () => store.names());
  /** The order as it was stored last. If there is none, the fallback or an error. */
  async function read(key, fallback = null) {
    let order = null;
    for (const state of STATES) order ??= await get(key + state);
    order ??= fallback;
    if (order === null) throw new MomoError("refused", `${key} has not been started`);
    const owner = order.service_reference ? order.service : "another program or version";
    if (owner === service) return { ...order, ...(await get(`${order.service_reference}~asked`)) };
    throw new MomoError("usage", `${key} is an order of ${owner}, not of ${service}: use another folder`);
  }
  return { pay, start, wait, ask, open, find, list };
}
const stateOf = (status) => ({ pending: "~accepted", not_started: "~not_started" })[status] ?? "~ended";
const isFinal = (order) => Object.hasOwn(FINAL, order.status);
/** The reference for the service, at most 100 characters. The token tells it from an earlier order of this name. */
const createServiceReference = (reference) => `${reference}~${randomBytes(4).toString("hex")}`;
const refusal = (name, rule, value) => new MomoError("usage", `${name} must be ${rule}; it is "${value}"`);
async function useStore(name, mayHavePaid, action, done = "read or stored") {
  try {
    return await action();
  } catch (error) {
    throw new MomoError("store", `${name} cannot be ${done}: ${error.message}`, mayHavePaid, error);
  }
}
function keyOf(reference) {
  const isReference = reference != null && /^(?! )[ -}]{1,91}(?<! )$/.test(reference);
  if (!isReference) throw refusal("reference", "1 to 91 ASCII characters, without ~ and outer spaces", reference);
  return String(reference).toLowerCase(); // the service ignores the case
}
function parsePayment(phone, amount) {
  const [, number] = /^(?:\+?254|0|(?=[17]\d{8}$))(\d{9})$/.exec(String(phone).replace(/[ ().-]/g, "")) ?? [];
  if (!number) throw refusal("phone", "such as 0712345678", phone);
  if (!/^[1-9]\d{0,8}(\.\d{1,2})?$/.test(amount)) throw refusal("amount", "from 1, with two decimals at most", amount);
  return { phone: `254${number}`, amount: Number(amount) };
}
const COMMANDS = { pay: 3, start: 3, find: 3, wait: 1, ask: 1, open: 0 }; // with the number of their arguments
const VARIABLES = "MOMO_BASE_URL, MOMO_API_KEY, MOMO_API_SECRET, MOMO_PAYMENT_ACCOUNT_ID";
const USAGE = `client.mjs pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open, with ${VARIABLES}`;
const [, script = "", command = "", ...args] = process.argv;
const isCommand = Object.hasOwn(COMMANDS, command) || basename(script) === "client.mjs"; // a bundle has another name
if (isCommand && fs.existsSync(script) && pathToFileURL(fs.realpathSync(script)).href === import.meta.url) {
  try {
    const { MOMO_BASE_URL: baseUrl, MOMO_API_KEY: apiKey, MOMO_API_SECRET: apiSecret } = process.env;
    const account = process.env.MOMO_PAYMENT_ACCOUNT_ID;
    const isComplete = baseUrl && apiKey && apiSecret && /^[1-9][0-9]{0,14}$/.test(account);
    if (!isComplete || COMMANDS[command] !== args.length) throw new MomoError("usage", USAGE);
    const store = fileStore(process.env.MOMO_ORDERS || `${dirname(fs.realpathSync(script))}/momo-orders`);
    const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId: Number(account), store });
    const result = await momo[command](...args);
    console.log(JSON.stringify(result));
    process.exitCode = FINAL[result?.status] ?? (result === null ? 3 : 13); // 3: find has found nothing
    if (command === "open") process.exitCode = result.some(({ error }) => error) ? ERRORS.store : 0;
  } catch ({ kind = "unexpected", message, mayHavePaid = true }) {
    console.log(JSON.stringify({ error: { code: kind, message, may_have_paid: mayHavePaid } }));
    process.exitCode = ERRORS[kind] ?? 1;
  }
}
