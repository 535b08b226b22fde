// A client for the mobile-money API in one file, for Node 18 and later, Bun and Deno. Copy it into your program.
//   const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store: fileStore("orders") });
//   const order = await momo.pay("ORDER-0001", "0712345678", 100);
//   settle(order); // yours: it delivers an order that is completed, once
// A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
//   pending                      the customer is asked: show "Look at your phone."
//   unknown                      the answer to the push was lost: the customer may be asked, or not
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the network refused the push, or the service never got it
// While it is pending or unknown, the customer may have paid (may_have_paid): ask again. The others never change.
// A script calls pay, which waits for two minutes at most. Call it again later, also after a crash: it goes on.
// A web request calls start, which returns soon. The page calls your server every 5 s, and that calls ask(reference).
// A cron runs every minute:  for (const { reference } of await momo.open()) settle(await momo.ask(reference));
// Anybody can send a webhook. Ask for the order in open() that has its checkout_request_id. Without one, answer 404.
// A test uses a new folder. If it moves the sandbox's clock, it gives two functions: sleep(ms) moves that clock, and
// now() returns by how many milliseconds sleep has moved it in all.
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

/** The final statuses and the kinds of errors, with the exit codes of the command. */
const FINAL = { completed: 0, failed: 10, cancelled: 11, expired: 12, not_started: 5 };
/** refused: by the service. unreachable: nothing was sent. unknown: the answer was lost. store: the store failed. */
const ERRORS = { store: 1, usage: 2, credentials: 4, refused: 5, unreachable: 6, unknown: 6 };
/** Errors of fetch before anything was sent. */
const UNSENT = /CONN(ECTION)?REFUSED|ENOTFOUND|EAI_AGAIN|INVALID_URL|bad port|unknown scheme|SELF_SIGNED|CERT_|UNABLE/i;

/** kind: one of ERRORS. mayHavePaid: whether the customer may have paid all the same. */
export class MomoError extends Error {
  constructor(kind, message, mayHavePaid = false) {
    super(message);
    this.kind = kind;
    this.mayHavePaid = mayHavePaid;
  }
}

/** Keeps each order as a file. Processes can share it, in all languages. A store of your own needs these functions. */
export function fileStore(/** @type {string} */ folder) {
  const pathOf = (/** @type {string} */ key) => `${folder}/${Buffer.from(key).toString("hex")}.json`;
  useStore("the folder of the orders", false, () => fs.mkdirSync(folder, { recursive: true }));

  /** Writes a whole file, and then gives it its name: a crash leaves no half order. */
  function place(key, order, giveName) {
    const draft = `${folder}/${randomBytes(16).toString("hex")}.draft`;
    try {
      fs.writeFileSync(draft, JSON.stringify(order), { flag: "as" }); // s: wait for the disk
      giveName(draft, pathOf(key));
    } finally {
      fs.rmSync(draft, { force: true });
    }
    if (process.platform === "win32") return; // Windows syncs no folders
    const opened = fs.openSync(folder, "r");
    fs.fsyncSync(opened);
    fs.closeSync(opened);
  }
  return {
    /** The order, or null. */
    get(key) {
      const isStored = fs.statSync(pathOf(key), { throwIfNoEntry: false });
      return isStored ? JSON.parse(fs.readFileSync(pathOf(key), "utf8")) : null;
    },
    /** Whether the order was added, and not there already. Of several processes, one succeeds. */
    add(key, order) {
      try {
        place(key, order, fs.linkSync);
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
      return names.sort().map((name) => Buffer.from(name.replace(".json", ""), "hex").toString());
    },
  };
}

/** An order is not_started once the service has answered for settledMs that it has none. */
export function createClient({ baseUrl, apiKey, apiSecret, paymentAccountId, store, ...options }) {
  const { timeoutMs = 10_000, intervalMs = 5000, deadlineMs = 120_000, settledMs = 600_000 } = options;
  const { fetch = globalThis.fetch, now = Date.now, sleep = pause } = options;
  const service = baseUrl.trim().replace(/[/]+$/, "");
  const headers = { "X-API-Key": apiKey.trim(), "X-API-Secret": apiSecret.trim(), "Content-Type": "application/json" };

  /** Starts an order, or goes on with it, and waits for its end. */
  const pay = async (reference, phone, amount) => waitForEnd(await start(reference, phone, amount));
  /** Asks until the order is final or the deadline has come. */
  const wait = async (reference) => waitForEnd(await ask(reference));

  /** Starts an order. If it is stored already, it is returned, and nothing is pushed. */
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
      asked_at: Math.round(now()), // when the service was last asked for it
      missing_ms: 0, // for how long the service has answered that it does not have it
    };
    const isStored = useStore(key, true, () => store.get(key)) !== null;
    if (isStored || !useStore(key, false, () => store.add(key, order))) {
      const stored = read(key);
      if (stored.phone === charge.phone && stored.amount === charge.amount) return withDoubt(stored);
      throw new MomoError("usage", `${key} is an order of ${stored.phone} for ${stored.amount} already`);
    }
    const payment = { payment_account_id: paymentAccountId, ...charge, reference: order.pushed_as };
    let answer;
    try {
      answer = await call("/stkpush.php", payment);
    } catch (error) {
      if (error.kind === "unknown") return withDoubt(order); // it may have been pushed: ask looks for it
      const refusal = { status: "not_started", result_desc: error.message };
      if (error.kind === "not_started") return saveAnswer(key, refusal, order);
      useStore(key, false, () => store.remove(key)); // it was not pushed
      throw error;
    }
    const status = answer.checkout_request_id ? "pending" : "unknown";
    return saveAnswer(key, { ...answer, status }, order);
  }

  /** Asks for an order once, now. If no answer comes, the order stays as it was. */
  async function ask(reference) {
    const key = keyOf(reference);
    const order = read(key);
    if (isFinal(order)) return order;
    const nowMs = Math.round(now());
    const sinceMs = Math.max(0, Math.min(nowMs - order.asked_at, intervalMs)); // now() can jump
    save(key, { ...order, asked_at: nowMs });
    try {
      const id = order.checkout_request_id;
      const payment = id ? await call("/status.php", { checkout_request_id: id }) : await search(order);
      if (payment) return saveAnswer(key, payment, order);
      const stored = read(key);
      if (stored.status === "unknown") {
        stored.missing_ms += sinceMs; // it may come later: a push can take minutes
        if (stored.missing_ms >= settledMs) stored.status = "not_started";
      }
      return save(key, stored);
    } catch (error) {
      error.mayHavePaid = true;
      if (!(error instanceof MomoError) || error.kind === "store" || error.kind === "credentials") throw error;
      return withDoubt(read(key, order));
    }
  }

  /** The orders that are not final. */
  async function open() {
    const orders = useStore("the folder of the orders", true, () => store.keys()).map((key) => read(key));
    return orders.filter((order) => !isFinal(order)).map(withDoubt);
  }

  /** The payment of an order as the list shows it, or null. The order need not be stored. */
  async function find(reference, phone, amount) {
    keyOf(reference);
    return search({ pushed_as: pushedAs(reference, ""), ...chargeOf(phone, amount) });
  }

  /** All payments, newest first. None is there twice or left out, also if payments arrive or change meanwhile. */
  async function list({ status, ...filters } = {}) {
    const rows = new Map();
    for (let page = 1; ; page += 1) {
      const query = new URLSearchParams({ ...filters, page: String(page), limit: "100" });
      const answer = await call(`/transactions.php?${String(query).replaceAll("+", "%20")}`);
      const pageRows = answer.transactions ?? answer.data;
      const isList = Array.isArray(pageRows) && pageRows.every((row) => row?.id);
      const isLast = isList && pageRows.length < (answer.pagination?.per_page ?? 100);
      const isNew = isList && pageRows.some((row) => !rows.has(row.id));
      if (!isLast && !isNew) throw new MomoError("unknown", "/transactions.php: no list, or the same page again", true);
      for (const row of pageRows) rows.set(row.id, row);
      // A status can change between two pages, so it is compared at the end.
      if (isLast) return [...rows.values()].filter((row) => status === undefined || row.status === status);
    }
  }

  async function waitForEnd(order) {
    const key = keyOf(order.reference);
    let waitedMs = 0;
    while (!isFinal(order) && waitedMs < deadlineMs) {
      const pauseMs = Math.min(intervalMs, deadlineMs);
      const beforeMs = performance.now(); // now() can jump
      await sleep(pauseMs);
      const stored = read(key);
      const isAskedByOther = stored.asked_at !== order.asked_at;
      order = isAskedByOther ? withDoubt(stored) : await ask(key);
      waitedMs += Math.max(pauseMs, performance.now() - beforeMs);
    }
    return order;
  }

  /** Stores what the service says of the payment. */
  function saveAnswer(key, payment, fallback) {
    const order = read(key, fallback); // a file that was removed is written again
    if (isFinal(order)) return order; // another process was faster
    order.checkout_request_id ??= payment.checkout_request_id ?? null;
    if (payment.status === "pending" || isFinal(payment)) order.status = payment.status;
    order.receipt = payment.momo_receipt_number ?? null;
    order.result_code = payment.result_code ?? null;
    order.result_desc = payment.result_desc ?? null;
    return save(key, order);
  }

  /** A search finds what begins with its text, and rows have no reference: compare phone and amount, too. */
  async function search({ pushed_as, phone, amount }) {
    const rows = await list({ search: pushed_as });
    const own = rows.filter((row) => row.amount === amount && String(row.phone).endsWith(phone.slice(3)));
    return own.find((row) => row.status === "completed") ?? own[0] ?? null;
  }

  /** The answer of the service, if it is a success. */
  async function call(path, body) {
    const request = { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), redirect: "manual" };
    let status = 0;
    let answer = null;
    try {
      const response = await fetch(service + path, { ...request, signal: AbortSignal.timeout(timeoutMs) });
      status = response.status;
      answer = JSON.parse(await readText(response.body));
    } catch (error) {
      const isUnsent = status === 0 && UNSENT.test(`${error.code} ${error.cause?.code} ${error.cause?.message}`);
      const reason = `no answer of the service (${status || error.cause?.message || error.message})`;
      throw new MomoError(isUnsent ? "unreachable" : "unknown", `${path}: ${reason}`, !isUnsent);
    }
    if (status === 200 && answer?.success === true) return answer;
    const isRefusal = answer?.success === false; // without one, it may have been pushed
    let kind = "unknown";
    if (isRefusal && status === 500 && String(answer.message).startsWith("STK push initiation failed"))
      kind = "not_started"; // §4.1
    if (isRefusal && status >= 400 && status < 500 && status !== 408 && status !== 429)
      kind = status === 401 ? "credentials" : "refused";
    throw new MomoError(kind, answer?.message ?? `${path}: HTTP ${status}`, kind === "unknown");
  }

  /** The stored order. If there is none, the fallback or an error. */
  function read(key, fallback = null) {
    const order = useStore(key, true, () => store.get(key)) ?? fallback;
    if (order === null) throw new MomoError("refused", `${key} has not been started`);
    if (order.service === service) return order;
    const owner = order.service ?? "another program";
    throw new MomoError("usage", `${key} is an order of ${owner}, not of ${service}: use another folder`);
  }
  function save(key, order) {
    useStore(key, true, () => store.set(key, order));
    return withDoubt(order);
  }
  return { pay, start, wait, ask, open, find, list };
}

const isFinal = (order) => Object.hasOwn(FINAL, order.status);
const withDoubt = (order) => (isFinal(order) ? order : { ...order, may_have_paid: true });
/** The reference for the service, at most 100 characters. The token tells it from an earlier order of this name. */
const pushedAs = (reference, token) => `${String(reference).slice(0, 91)}~${token}`;

function useStore(name, mayHavePaid, action) {
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

/** The name of an order in the store. The service ignores the case of a reference. */
function keyOf(reference) {
  if (reference != null && /^(?! )[ -}]{1,100}(?<! )$/.test(reference)) return String(reference).toLowerCase();
  const rule = "1 to 100 printable ASCII characters, without ~ and outer spaces";
  throw new MomoError("usage", `reference must be ${rule}; it is "${reference}"`);
}
function chargeOf(phone, amount) {
  const [, number] = /^(?:\+?254|0|(?=[17]\d{8}$))(\d{9})$/.exec(String(phone).replace(/[ ().-]/g, "")) ?? [];
  if (!number) throw new MomoError("usage", `phone must be such as 0712345678; it is "${phone}"`);
  const isAmount = /^[1-9]\d{0,8}(\.\d{1,2})?$/.test(amount);
  if (!isAmount) throw new MomoError("usage", `amount must be from 1, with two decimals at most; it is "${amount}"`);
  return { phone: `254${number}`, amount: Number(amount) };
}

/** The commands, with the number of their arguments. */
const COMMANDS = { pay: 3, start: 3, find: 3, wait: 1, ask: 1, open: 0 };
const VARIABLES = "MOMO_BASE_URL, MOMO_API_KEY, MOMO_API_SECRET, MOMO_PAYMENT_ACCOUNT_ID";
const USAGE = `client.mjs pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open, with ${VARIABLES}`;

const [, script = "", command = "", ...args] = process.argv;
if (fs.existsSync(script) && pathToFileURL(fs.realpathSync(script)).href === import.meta.url) {
  try {
    const { MOMO_BASE_URL: baseUrl, MOMO_API_KEY: apiKey, MOMO_API_SECRET: apiSecret } = process.env;
    const account = process.env.MOMO_PAYMENT_ACCOUNT_ID;
    const isComplete = baseUrl && apiKey && apiSecret && /^[1-9][0-9]{0,14}$/.test(account);
    if (!isComplete || COMMANDS[command] !== args.length) throw new MomoError("usage", USAGE);
    const store = fileStore(process.env.MOMO_ORDERS || "momo-orders");
    const momo = createClient({ baseUrl, apiKey, apiSecret, paymentAccountId: Number(account), store });
    const result = await momo[command](...args);
    console.log(JSON.stringify(result));
    process.exitCode = Array.isArray(result) ? 0 : (FINAL[result?.status] ?? 13);
    if (result === null) process.exitCode = 3; // find has found nothing
  } catch ({ kind = "unexpected", message, mayHavePaid = true }) {
    console.log(JSON.stringify({ error: { code: kind, message, may_have_paid: mayHavePaid } }));
    process.exitCode = ERRORS[kind] ?? 1;
  }
}
