import type { Sent } from "./events.ts";
import type { Prng } from "./prng.ts";
import type { Seen } from "./workload.ts";

/** A request that has something wrong with it, or several things. What must come back is not known here. */
export function badRequest(prng: Prng, { keys, revoked, accounts }: Seen): Sent {
  const { apiKey, apiSecret } = prng.pick(prng.chance(0.2) && revoked.length > 0 ? revoked : keys);
  const good: Sent = {
    method: "POST",
    target: "/v2/stkpush.php",
    headers: { "X-API-Key": apiKey, "X-API-Secret": apiSecret, "Content-Type": "application/json" },
    body: JSON.stringify({ payment_account_id: prng.pick(accounts).id, phone: "0712345678", amount: 10 }),
  };
  let sent = good;
  for (let mistakes = prng.int(1, 2); mistakes > 0; mistakes -= 1) sent = prng.pick(MISTAKES)(sent, prng);
  return sent;
}

const MISTAKES: readonly ((sent: Sent, prng: Prng) => Sent)[] = [
  (sent, prng) => ({
    ...sent,
    target: prng.pick(["/v2", "/v3/", "/v2/stkpush", "/v1/stkpush.php", "/v2/status.php/"]),
  }),
  (sent, prng) => ({ ...sent, method: prng.pick(["PUT", "DELETE", "PATCH"]) }),
  (sent, prng) => ({ ...sent, target: prng.pick(["/v2/status.php", "/v2/stkpush.php"]) }),
  (sent) => ({ ...sent, method: "GET", body: null }),
  (sent, prng) => ({
    ...sent,
    headers: { ...sent.headers, [prng.pick(["X-API-Key", "X-API-Secret"])]: prng.pick(["", "mk_nobody", "ms_guess"]) },
  }),
  (sent, prng) => ({
    ...sent,
    headers: { ...sent.headers, "Content-Type": prng.pick(["text/plain", "application/xml", "json"]) },
  }),
  (sent, prng) =>
    sent.body === null ? sent : { ...sent, body: prng.pick(["", "{", "[]", "null", '"text"', "7", "{}"]) },
  (sent, prng) => withMember(sent, prng),
  (sent, prng) => withMember(withMember(sent, prng), prng),
  (sent, prng) => ({
    ...sent,
    method: "GET",
    body: null,
    target: `/v2/transactions.php?${prng.pick(BAD_QUERIES)}`,
  }),
  (sent, prng) => ({ ...sent, target: prng.pick(["/_momo/nothing", "/_momo/rule", "/_momo/rules/1"]) }),
];

const BAD_MEMBERS: readonly (readonly [member: string, values: readonly unknown[]])[] = [
  ["payment_account_id", [undefined, null, 0, -1, 1.5, "1", 999_999, true]],
  ["phone", [undefined, null, 712345678, "712345678", "+254712345678", "25471234567", "07123456789", ""]],
  ["amount", [undefined, null, 0, 0.99, -5, "100", 1.005, 1e9, 1e300, true]],
  ["reference", [null, 5, "r".repeat(101), {}]],
  ["description", [null, 5, "d".repeat(183), []]],
  ["checkout_request_id", [undefined, null, 5, "", "x".repeat(101), "ws_CO_unknown"]],
];

const BAD_QUERIES = [
  "page=0&limit=3",
  "page=-1",
  "page=1.5",
  "page=x",
  "limit=0",
  "limit=101",
  "limit=1e1",
  "limit=",
  "type=cash",
  "status=done",
  "status=",
  "date_from=2026-02-30",
  "date_to=20-11-2026",
  "date_from=2026-11-21&date_to=2026-11-20",
  "search=",
  "id=one",
  "id=999999999",
  "id=-1",
  "page=1&page=2",
  "status=pending&status=failed",
  "nothing=1",
];

function withMember(sent: Sent, prng: Prng): Sent {
  if (sent.body === null) return sent;
  const [member, values] = prng.pick(BAD_MEMBERS);
  try {
    return { ...sent, body: JSON.stringify({ ...(JSON.parse(sent.body) as object), [member]: prng.pick(values) }) };
  } catch {
    return sent; // there is no JSON to spoil any more
  }
}
