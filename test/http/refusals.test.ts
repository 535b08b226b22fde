import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forAllTests } from "../support/cleanup.ts";
import { expectSoundAnswer, openScene } from "../support/scene.ts";

/**
 * What the merchant API refuses, and in which words: each rule at its edge, a line of the table for each. After `=>` stand the status
 * and the message. MOMO_TEST_RECORD=1 writes them again: read them. `<x * 101>` is 101 times x; of two equal members the last counts.
 */

const FILE = join(import.meta.dir, "refusals.txt");
const scene = forAllTests(openScene);
const ORDER = '{"payment_account_id":1,"phone":"0712345678","amount":1';

const bytesOf = (hex: string) => Buffer.from(hex, "hex");

async function answerTo(line: string): Promise<string> {
  const [, what = "", sent = ""] = /^(\w+) ?(.*)$/.exec(line) ?? [];
  const text = sent.replaceAll(/<(\S+) \* (\d+)>/g, (_, part: string, times: string) => part.repeat(Number(times)));
  const push = { path: "/stkpush.php" };
  const specs: Record<string, () => Parameters<typeof scene.send>[0]> = {
    order: () => ({ ...push, body: `${ORDER},${text}}` }),
    outcome: () => ({ ...push, body: `${ORDER}}`, headers: { "X-Sandbox-Outcome": text } }),
    body: () => ({ ...push, body: text }),
    /** A body of bytes, which are not UTF-8. */
    bytes: () => ({ ...push, body: bytesOf(text) }),
    encoded: () => ({ ...push, body: bytesOf(text.slice(-4)), headers: { "Content-Encoding": text.slice(0, -5) } }),
    typed: () => ({ path: "/status.php", body: "{}", headers: { "Content-Type": text } }),
    status: () => ({ path: "/status.php", body: text }),
    list: () => ({ path: `/transactions.php?${text}` }),
    path: () => ({ path: text }),
    only: () => ({ path: "/transactions.php", as: "anonymous", headers: { [text]: scene.caller.headers[text] } }),
    wrong: () => ({ path: "/transactions.php", headers: { [text]: scene.other.headers[text] } }),
    anonymous: () => ({ ...push, as: "anonymous", body: text }),
  };
  const answer = await scene.send(
    specs[what]?.() ?? { path: "/stkpush.php", method: what, ...(text && { body: text }) },
  );
  expectSoundAnswer(answer);
  const allowed = answer.headers.get("Allow");
  return `${answer.status} ${allowed ? `${allowed} ` : ""}${answer.body.message}`;
}

test("each refusal has its status and its words, and starts no payment", async () => {
  const recorded = readFileSync(FILE, "utf8").trimEnd().split("\n");
  const told: string[] = [];
  for (const line of recorded) {
    const [request = ""] = line.split(" =>");
    told.push(`${request} => ${await answerTo(request)}`);
  }
  if (process.env.MOMO_TEST_RECORD) writeFileSync(FILE, `${told.join("\n")}\n`);
  else expect(told).toEqual(recorded);
  expect(told.filter((line) => line.includes("=> 200"))).toEqual([]);
  expect((await scene.list()).length).toBe(0);
});
