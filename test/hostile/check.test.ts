import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { parseProfile } from "../../sandbox/check/profiles.ts";
import type { CheckReport } from "../../sandbox/check/result.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { runMomo } from "../support/momo.ts";
import { SEED, TIMES } from "../support/random.ts";

/** Services that answer `momo check` with anything, and repeat what they know: a report always comes, and it has no secret. */

afterAll(cleanUp);

const KEY = "mk_Qz81mVbT0sLwX4rc";
const SECRET = "ms_h7Jd2KqPz90aWmXc5VbN8sLrT4uYgE31";

/** How a service writes a secret; the text may be inside a string of JSON. */
const SPELLINGS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => secret.toUpperCase(),
  (secret) => (/^254\d{9}$/.test(secret) ? `0${secret.slice(3)}` : secret.toLowerCase()),
  (secret) => (/^254\d{9}$/.test(secret) ? secret.replace(/^254(...)(...)/, "+254 $1 $2 ") : `(${secret})`),
  (secret) => secret.replaceAll(/(?=(?:...)+$)/g, " "),
  (secret) => secret.split("").join("-"),
  (secret) => secret.replaceAll(/./g, (it) => `%${it.charCodeAt(0).toString(16)}`),
  (secret) => secret.replaceAll(/./g, (it) => `\\u00${it.charCodeAt(0).toString(16)}`),
  (secret) => secret.replaceAll(/./g, (it) => `&#x${it.charCodeAt(0).toString(16)};`),
  (secret) => `\\"transaction_code\\" : \\"${secret}\\"`,
];

/** All spellings in one: letters and digits. */
const compact = (text: string): string =>
  text
    .replaceAll(/%([0-7][0-9a-f])|\\+u00([0-7][0-9a-f])|&#x([0-7][0-9a-f]);/gi, (_, ...hex) =>
      String.fromCharCode(
        Number.parseInt(
          hex.find((it) => it !== undefined),
          16,
        ),
      ),
    )
    .replaceAll(/[^0-9A-Za-z]/g, "")
    .toLowerCase();

/** What is sent instead of the right answer, as a body or as a whole response. */
const BROKEN: readonly ((right: string) => string | Buffer | null)[] = [
  (right) => right,
  (right) => right,
  (right) => right,
  (right) => right.replace(/}$/, `,"deep":${"[".repeat(50_000)}${"]".repeat(50_000)}}`),
  (right) => right.replaceAll('"254', String.raw`"\ud83d254`),
  (right) => right.replaceAll(/"(?:ws_CO_|2026-)/g, `$&${"9".repeat(900_000)}`).slice(0, 1_040_000),
  (right) => right.replaceAll(/: ?"/g, `:"${"x".repeat(5000)}`),
  (right) => right.replaceAll(/"(?=\w+":)/g, '"toString":1,"'),
  (right) => right.replaceAll(/:"[^"]*"/g, ':{"toString":1,"valueOf":[],"__proto__":null}'),
  (right) => right.replaceAll(/:\d+/g, ":-1e999"),
  (right) => right.replaceAll(/:\d+/g, `:[${"0,".repeat(200_000)}0]`),
  (right) => right.slice(0, right.length / 2),
  (right) => `<html>${right}\u202e\u001b[2J</html>`,
  () => "",
  () => " ".repeat(1_100_000),
  () => null,
];
const STATUSES = ["200", "200", "200", "201", "404", "500", "600", "999", "000", "99", "302", "429"];

interface Drawn {
  readonly phone: string;
  readonly codes: readonly [string, string];
  readonly results: readonly [number, string];
  readonly fee: number;
  readonly spelling: number;
  /** From which request on what is broken, and how. */
  readonly from: number;
  readonly broken: number;
  readonly status: string;
  readonly isPacked: boolean;
}

const code = fc.stringMatching(/^[A-Z]{2}[A-Z0-9]{6,10}[0-9][A-Z]$/);
const services: fc.Arbitrary<Drawn> = fc.record({
  phone: fc.stringMatching(/^254[17][0-9]{8}$/),
  codes: fc.tuple(code, code),
  results: fc.tuple(fc.constantFrom(0, -1, 17, 99_999_999), fc.string({ unit: "binary", maxLength: 600 })),
  fee: fc.constantFrom(0, 0.01, 10, -3, 1e9),
  spelling: fc.nat(SPELLINGS.length - 1),
  from: fc.constantFrom(0, 1, 2, 3, 5, 10, 25),
  broken: fc.nat(BROKEN.length - 1),
  status: fc.constantFrom(...STATUSES),
  isPacked: fc.boolean(),
});

/** The answer to a request whose head and body came. */
function answerOf(drawn: Drawn, head: string, body: string, turn: number): string | null | Buffer {
  const { phone, codes, results, fee } = drawn;
  const spell = SPELLINGS[drawn.spelling] ?? String;
  const echo = [KEY, SECRET, phone, ...codes].map(spell).join(" ");
  const isPaid = turn % 3 !== 0;
  const row = {
    ...{ id: 1, kind: "api", type: "API", status: isPaid ? "completed" : "failed", amount: 1, fee_amount: fee },
    ...{ fee_deducted: true, phone: "PHONE", transaction_code: "CODE", momo_receipt_number: "RECEIPT" },
    ...{ checkout_request_id: "ws_CO_20261127_A1", merchant_request_id: "ws_MR_20261127_A1", is_deposit: false },
    ...{ result_code: results[0], result_desc: results[1], created_at: "2026-11-27 10:00:00", completed_at: null },
  };
  const isPush = head.includes("/stkpush.php");
  const about = isPush || head.includes("/status.php") ? row : { transactions: [row, row], data: [row] };
  // Not in the whole head: the port in it may have such digits.
  const success = !/=momo|999/.test(head.split("\r\n", 1) + body);
  const said = { success, message: "ECHO", sent: "HEAD", ...about };
  const json = JSON.stringify({ ...said, pagination: { current_page: 1, per_page: 10, total_items: 2 } })
    .replaceAll("PHONE", () => spell(phone).replaceAll(/\\"transaction_code.*: /g, ""))
    .replaceAll("CODE", codes[0])
    .replaceAll("RECEIPT", codes[1])
    .replaceAll("ECHO", () => echo)
    .replaceAll("HEAD", () => JSON.stringify(head + body).slice(1, -1));
  const content = turn < drawn.from ? json : (BROKEN[drawn.broken]?.(json) ?? null);
  if (content === null) return null;
  const bytes = drawn.isPacked && turn >= drawn.from ? gzipSync(content) : Buffer.from(content);
  const status = turn < drawn.from ? "200" : drawn.status;
  const packed = drawn.isPacked && turn >= drawn.from ? "Content-Encoding: gzip\r\n" : "";
  const headers = `Location: /${encodeURIComponent(SECRET)}\r\nContent-Type: ${KEY}\r\n${packed}`;
  const start = `HTTP/1.1 ${status} ${SECRET}\r\nContent-Length: ${bytes.length}\r\n${headers}Connection: close\r\n\r\n`;
  return Buffer.concat([Buffer.from(start), bytes]);
}

const BASE = "/drawn/v2";

/** @returns its port */
async function serve(drawn: Drawn): Promise<number> {
  let turn = 0;
  const server = createServer((socket: Socket) => {
    let came = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      came += chunk;
      const [head = "", body = ""] = came.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (!came.includes("\r\n\r\n") || body.length < length) return;
      // Another test may still ask for a server that had this port before.
      if (!head.includes(` ${BASE}`)) return void socket.destroy();
      const answer = answerOf(drawn, head, body, turn);
      turn += 1;
      if (answer === null) socket.destroy();
      else socket.end(answer);
    });
  });
  later(() => void server.close());
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return (server.address() as { port: number }).port;
}

const MOST_BYTES = 1_500_000;

test(
  "drawn services get a report in each form, without a secret, and a profile that momo serve takes",
  async () => {
    const folder = newFolder();
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(services, async (drawn) => {
        const port = await serve(drawn);
        turn += 1;
        const reports = join(folder, String(turn));
        mkdirSync(reports);
        const files = ["a.xml", "a.json", "a.txt"].map((name) => join(reports, name));
        const profile = join(reports, "profile.txt");
        const pay = ["--pay", drawn.phone, "--account", "1", "--max-pushes", "20", "--yes"];
        const target = ["--target", `http://127.0.0.1:${port}${BASE}`];
        const args = ["check", ...target, ...pay, "--all", "--report", ...files, "--profile", profile];
        const run = await runMomo(args, { env: { MOMO_API_KEY: KEY, MOMO_API_SECRET: SECRET } });
        expect([4, 6, 7], run.stderr).toContain(run.exitCode);
        const report = JSON.parse(readFileSync(join(reports, "a.json"), "utf8")) as CheckReport;
        expect(report.stopped?.kind).not.toBe("bug");
        if (drawn.from > 1) expect(report.notes.map(({ kind }) => kind).join()).toContain("pushed");
        const written = JSON.parse(readFileSync(profile, "utf8"));
        expect(parseProfile(written)).toEqual(written);
        const texts = readdirSync(reports).map((name) => readFileSync(join(reports, name), "utf8"));
        for (const text of [...texts, run.stdout, run.stderr]) {
          expect(text.length).toBeLessThan(MOST_BYTES);
          expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
          const shown = compact(text);
          for (const secret of [KEY, SECRET, drawn.phone.slice(3), ...drawn.codes]) {
            const at = shown.indexOf(compact(secret));
            expect(at < 0 ? null : shown.slice(at - 60, at + 60)).toBeNull();
          }
        }
      }),
      { seed: SEED, numRuns: 10 * TIMES, endOnFailure: true },
    );
  },
  120_000 * TIMES,
);
