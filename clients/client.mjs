// A client for the mobile-money API in one file, for Node 18 and later, Bun and Deno. Copy it into your program, and keep it.
//   const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store: fileStore("orders") });
//   const order = await momo.pay("ORDER-0001", "0712345678", 100);
//   if (order.status === "completed") deliver(order); // once for each order
// A reference is an order. It is stored before its push, and pushed once. After a failure, a new try needs a new reference.
//   pending                      the customer is asked: "Look at your phone."
//   unknown                      the answer to the push was lost, so it is not known whether the customer is asked
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the network refused the push, or the service does not have the payment
// While it is pending or unknown, the customer may have paid (may_have_paid): ask again later. The others never change.
// A script calls pay, also again after a crash: it waits for two minutes, and goes on where it was.
// A web request calls start, and returns. The page then asks your server every 5 s, and your server calls ask(reference).
// A cron, every minute:  for (const { reference } of await momo.open()) await momo.ask(reference);
// A webhook names no reference, and anybody can send one: find its checkout_request_id in open(), and ask; else 404.
// Tests: a new folder for each run. A test that moves the sandbox's clock gives two functions: sleep(ms) moves that clock,
// and now() returns how many milliseconds sleep has moved it.
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

/** @typedef {{ get(key: string): any, add(key: string, order: object): boolean, set(key: string, order: object): void,
 *   remove(key: string): void, keys(): string[] }} Store `add` returns false if the order is already there. */

/** The final statuses and the kinds of errors, with the exit codes of the command. */
const FINAL = { completed: 0, failed: 10, cancelled: 11, expired: 12, not_started: 5 };
const ERRORS = { usage: 2, credentials: 4, refused: 5, unreachable: 6, unknown: 6, store: 1 };
/** Errors that come before anything was sent. */
const UNSENT = /CONN(ECTION)?REFUSED|ENOTFOUND|EAI_AGAIN|INVALID_URL|bad port|unknown scheme|SELF_SIGNED|CERT_|UNABLE/i;
const isFinal = (order) => Object.hasOwn(FINAL, order.status);

/** kind: one of ERRORS. mayHavePaid: whether the customer may have paid all the same. */
export class MomoError extends Error {
  constructor(kind, message, mayHavePaid = kind === "unknown") {
    super(message);
    this.kind = kind;
    this.mayHavePaid = mayHavePaid;
  }
}
function fail(kind, message) {
  throw new MomoError(kind, message);
}

/** Orders as files in a folder. Processes may share it, also with the clients in other languages. @returns {Store} */
export function fileStore(/** @type {string} */ folder) {
  stored("the folder of the orders", false, () => fs.mkdirSync(folder, { recursive: true }));
  const pathOf = (key) => `${folder}/${Buffer.from(key).toString("hex")}.json`;
  /** Writes a whole file, and then gives it the name, so that a crash leaves no half order. */
  function place(key, order, giveName) {
    const draft = `${folder}/${randomBytes(16).toString("hex")}.draft`;
    try {
      fs.writeFileSync(draft, JSON.stringify(order), { flag: "as" }); // O_SYNC: it is on the disk
      giveName(draft, pathOf(key));
    } finally {
      fs.rmSync(draft, { force: true });
    }
    if (process.platform === "win32") return; // it syncs no folders
    const opened = fs.openSync(folder, "r");
    fs.fsyncSync(opened);
    fs.closeSync(opened);
  }
  return {
    get(key) {
      const isStored = fs.statSync(pathOf(key), { throwIfNoEntry: false });
      return isStored ? JSON.parse(fs.readFileSync(pathOf(key), "utf8")) : null;
    },
    add(key, order) {
      try {
        place(key, order, fs.linkSync); // of several processes, one succeeds
        return true;
      } catch (error) {
        if (error.code === "EEXIST") return false;
        throw error;
      }
    },
    set: (key, order) => place(key, order, fs.renameSync),
    remove: (key) => fs.rmSync(pathOf(key)),
    keys() {
      const names = fs.readdirSync(folder).filter((name) => /^([0-9a-f]{2})+[.]json$/.test(name));
      return names.sort().map((name) => Buffer.from(name.slice(0, -".json".length), "hex").toString());
    },
  };
}

/** settledMs: an order has not started if the service has answered for so long that it does not have the payment. */
export function createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store, ...options }) {
  const { timeoutMs = 10_000, intervalMs = 5000, deadlineMs = 120_000, settledMs = 600_000 } = options;
  const { fetch = globalThis.fetch, now = steadyNow, sleep = pause } = options;
  const service = baseUrl.trim().replace(/[/]+$/, "");
  const headers = { "X-API-Key": apiKey.trim(), "X-API-Secret": apiSecret.trim(), "Content-Type": "application/json" };
  let retryAfterMs = 0; // as the last answer said

  /** Starts a payment and waits for its end, or goes on with it. */
  const pay = async (reference, phone, amount) => follow(await start(reference, phone, amount));
  /** Asks until the status is final or the deadline has come. */
  const wait = async (reference) => follow(await ask(reference));

  /** Starts a payment, or returns the order as it is stored. It never pushes twice. */
  async function start(reference, phone, amount) {
    const key = keyOf(reference);
    const charge = chargeOf(phone, amount);
    const order = {
      service,
      reference: String(reference),
      pushed_as: pushedAs(reference, randomBytes(4).toString("hex")),
      phone: charge.phone,
      amount: charge.amount,
      status: "unknown",
      checkout_request_id: null,
      receipt: null,
      result_code: null,
      result_desc: null,
      started_at: Math.round(now()),
      asks: 0, // how often the service was asked
      looked_at: null, // when it last answered that it does not have the payment
      missing_ms: 0, // for how long it has answered so
    };
    const isNew = read(key) === null && stored(key, false, () => store.add(key, order));
    if (!isNew) return shown(known(key, charge));
    try {
      const payment = { payment_account_id: paymentAccountId, ...charge, reference: order.pushed_as };
      const answer = await call("/stkpush.php", payment);
      return answer.checkout_request_id ? update(key, { ...answer, status: "pending" }, order) : shown(order);
    } catch (error) {
      if (error.kind === "unknown") return shown(order); // the push may have been carried out: ask looks for it
      const refusal = { status: "not_started", result_desc: error.message };
      if (error.kind === "not_started") return update(key, refusal, order);
      const isNotPushed = error instanceof MomoError && error.kind !== "store";
      if (isNotPushed) stored(key, false, () => store.remove(key));
      throw error;
    }
  }
  async function follow(order) {
    const key = keyOf(order.reference);
    let waitedMs = 0;
    while (!isFinal(order) && waitedMs < deadlineMs) {
      const sleepMs = Math.max(Math.min(intervalMs, deadlineMs), retryAfterMs);
      const beforeMs = now();
      await sleep(sleepMs);
      const latest = known(key);
      order = latest.asks === order.asks ? await ask(key) : shown(latest); // not if another process has asked
      waitedMs += Math.min(Math.max(sleepMs, now() - beforeMs), sleepMs + timeoutMs); // also if the clock jumps
    }
    return order;
  }

  /** Asks once, now. If no answer comes, the order stays as it was. */
  async function ask(reference) {
    const key = keyOf(reference);
    const order = known(key);
    if (isFinal(order)) return order;
    write(key, { ...order, asks: order.asks + 1 });
    try {
      const id = order.checkout_request_id;
      const answer = id ? await call("/status.php", { checkout_request_id: id }) : await findPushed(order);
      return answer ? update(key, answer, order) : miss(key);
    } catch (error) {
      error.mayHavePaid = true;
      if (!(error instanceof MomoError) || error.kind === "store" || error.kind === "credentials") throw error;
      return shown(read(key) ?? order);
    }
  }
  function update(key, answer, asked) {
    const order = read(key) ?? asked; // a file that is gone is written again
    if (isFinal(order)) return order; // another process was faster
    order.checkout_request_id ??= answer.checkout_request_id ?? null;
    if (answer.status === "pending" || isFinal(answer)) order.status = answer.status;
    order.receipt = answer.momo_receipt_number ?? null;
    order.result_code = answer.result_code ?? null;
    order.result_desc = answer.result_desc ?? null;
    return write(key, order);
  }
  /** Stores that the service does not have the payment now. A push can be on its way for minutes, so it may come later. */
  function miss(key) {
    const order = known(key);
    if (order.status !== "unknown") return shown(order);
    const nowMs = Math.round(now());
    const sinceMs = order.looked_at === null ? 0 : nowMs - order.looked_at;
    order.missing_ms += Math.min(Math.max(0, sinceMs), intervalMs); // one interval, if the clock jumps
    order.looked_at = nowMs;
    if (sinceMs > 0 && order.missing_ms >= settledMs) order.status = "not_started";
    return write(key, order);
  }

  /** The orders that are not final. */
  async function open() {
    const orders = stored("the folder", true, () => store.keys()).map((key) => known(key));
    return orders.filter((order) => !isFinal(order)).map(shown);
  }
  /** The payment of an order as the list shows it, or null; it needs no stored order. */
  async function find(reference, phone, amount) {
    keyOf(reference);
    return findPushed({ pushed_as: pushedAs(reference, ""), ...chargeOf(phone, amount) });
  }
  /** A search finds what begins with its text, and rows show no reference: phone and amount are compared, too. */
  async function findPushed({ pushed_as, phone, amount }) {
    const rows = await list({ search: pushed_as });
    const own = rows.filter((row) => row.amount === amount && String(row.phone).endsWith(phone.slice(3)));
    return own.find((row) => row.status === "completed") ?? own[0] ?? null;
  }

  /** All rows, newest first: none twice, and none is left out, also while payments arrive. */
  async function list({ status, ...filters } = {}) {
    const rows = new Map(); // the statuses change while pages are read: filter by them at the end
    for (let page = 1; ; page += 1) {
      const query = new URLSearchParams({ ...filters, page: String(page), limit: "100" });
      const answer = await call(`/transactions.php?${String(query).replaceAll("+", "%20")}`);
      const pageRows = answer.transactions ?? answer.data;
      if (!Array.isArray(pageRows) || !pageRows.every((row) => row?.id)) fail("unknown", "/transactions.php: no list");
      const countBefore = rows.size;
      for (const row of pageRows) rows.set(row.id, row);
      if (pageRows.length < (answer.pagination?.per_page ?? 100)) break;
      if (rows.size === countBefore) fail("unknown", "/transactions.php: the same page again");
    }
    return [...rows.values()].filter((row) => status === undefined || row.status === status);
  }

  /** The answer, if it is the service's and a success. */
  async function call(path, json) {
    const request = { method: json ? "POST" : "GET", headers, body: json && JSON.stringify(json), redirect: "manual" };
    let status = 0;
    let answer = null;
    try {
      const response = await fetch(service + path, { ...request, signal: AbortSignal.timeout(timeoutMs) });
      status = response.status;
      retryAfterMs = Math.min(1000 * Number(response.headers.get("Retry-After")) || 0, 60_000);
      answer = JSON.parse(await readText(response.body));
    } catch (error) {
      const isUnsent = status === 0 && UNSENT.test(`${error.code} ${error.cause?.code} ${error.cause?.message}`);
      const reason = `no answer of the service (${status || error.cause?.message || error.message})`;
      fail(isUnsent ? "unreachable" : "unknown", `${path}: ${reason}`);
    }
    if (status === 200 && answer?.success === true) return answer;
    return fail(kindOfFailure(status, answer), `${answer?.message ?? `${path}: HTTP ${status}`}`);
  }
  function read(key) {
    const order = stored(key, true, () => store.get(key));
    if (order === null || order.service === service) return order;
    const owner = order.service ?? "another program";
    return fail("usage", `${key} is an order of ${owner}, not of ${service}: use another folder`);
  }
  /** The stored order, which must be there, and be of this phone and amount if they are given. */
  function known(key, charge = {}) {
    const order = read(key) ?? fail("refused", `${key} has not been started`);
    const isSame = Object.keys(charge).every((name) => charge[name] === order[name]);
    return isSame ? order : fail("usage", `${key} is an order of ${order.phone} for ${order.amount} already`);
  }
  function write(key, order) {
    stored(key, true, () => store.set(key, order));
    return shown(order);
  }
  return { pay, start, wait, ask, open, find, list };
}
const steadyNow = () => performance.timeOrigin + performance.now(); // Date.now can jump
/** The reference for the service, at most 100 characters. A search for it finds no other order, and none of earlier. */
const pushedAs = (reference, token) => `${String(reference).slice(0, 91)}~${token}`;
const shown = (order) => (isFinal(order) ? order : { ...order, may_have_paid: true });

function stored(name, mayHavePaid, action) {
  try {
    return action();
  } catch (error) {
    const doubt = mayHavePaid ? "; the customer may have paid" : "";
    throw new MomoError("store", `${name} cannot be read or stored: ${error.message}${doubt}`, mayHavePaid);
  }
}
async function readText(body) {
  let text = "";
  for await (const part of body.pipeThrough(new TextDecoderStream("utf-8", { fatal: true }))) {
    text += part;
    if (text.length > 10_000_000) throw new Error("it does not end");
  }
  return text;
}
/** Only a refusal by the service itself says that nothing was pushed. */
function kindOfFailure(status, answer) {
  if (answer?.success !== false) return "unknown";
  if (status === 401) return "credentials";
  if (status === 500 && String(answer.message).startsWith("STK push initiation failed")) return "not_started"; // §4.1
  return status >= 400 && status < 500 && ![408, 429].includes(status) ? "refused" : "unknown";
}

const check = (name, value, pattern, rule) =>
  pattern.exec(String(value)) ?? fail("usage", `${name} must be ${rule}; it is ${JSON.stringify(value)}`);

/** The name of an order in the store. The service ignores the case of a reference. */
function keyOf(reference) {
  const rule = "1 to 100 printable characters of ASCII without ~, no space at its ends";
  return check("reference", reference, /^(?! )[ -}]{1,100}(?<! )$/, rule)[0].toLowerCase();
}
function chargeOf(phone, amount) {
  const digits = String(phone).replace(/[ ().-]/g, "");
  const [, number] = check("phone", digits, /^(?:\+?254|0|(?=[17]\d{8}$))(\d{9})$/, "such as 0712345678");
  const [value] = check("amount", amount, /^[1-9]\d{0,8}(\.\d{1,2})?$/, "a number from 1, with two decimals at most");
  return { phone: `254${number}`, amount: Number(value) };
}

const COMMANDS = { pay: 3, start: 3, find: 3, wait: 1, ask: 1, open: 0 };
const VARIABLES = ["MOMO_BASE_URL", "MOMO_API_KEY", "MOMO_API_SECRET", "MOMO_PAYMENT_ACCOUNT_ID"];
const USAGE = "client.mjs pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open, with ";
function runCommand(command, ...args) {
  const [baseUrl, apiKey, apiSecret, account] = VARIABLES.map((name) => process.env[name] ?? "");
  const isComplete = baseUrl && apiKey && apiSecret && /^[1-9][0-9]{0,14}$/.test(account);
  if (!isComplete || COMMANDS[command] !== args.length) fail("usage", USAGE + VARIABLES.join(", "));
  const store = fileStore(process.env.MOMO_ORDERS || "momo-orders");
  return createClient({ baseUrl, apiKey, apiSecret, paymentAccountId: Number(account), store })[command](...args);
}

const [, script = "", ...args] = process.argv;
if (fs.existsSync(script) && pathToFileURL(fs.realpathSync(script)).href === import.meta.url) {
  try {
    const result = await runCommand(...args);
    console.log(JSON.stringify(result));
    process.exitCode = Array.isArray(result) ? 0 : result ? (FINAL[result.status] ?? 13) : 3;
  } catch ({ kind = "unexpected", message, mayHavePaid = true }) {
    console.log(JSON.stringify({ error: { code: kind, message, may_have_paid: mayHavePaid } }));
    process.exitCode = ERRORS[kind] ?? 1;
  }
}
