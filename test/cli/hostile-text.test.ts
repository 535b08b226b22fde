import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { COMMANDS } from "../../cli/command-table.ts";
import { jsonText, visible } from "../../src/domain/visible.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { flagsOf, serveFake } from "../support/fake-server.ts";
import { KEYS, openMomo, PROGRAM, runMomo, runToEnd } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { writeServerRecord } from "./used-directory.ts";

afterAll(cleanUp);

/** Changes the direction of text and hides a word. It has no control character, so a name may have it. */
const TURNED = "a\u202Eb\u2066c\u200Fd\u200Be\u{E0041}f\u{E0101}g\u00ADh\u3164";
/** A reference may also set the title, erase the screen (in 7 bits and in 8), and begin a line. */
const HOSTILE = `${TURNED}\x1b]0;owned\x07\x1b[2J\u009b2J\u2028\u2029\u061C\uFEFF\nmomo: all is well`;

/** The characters on a screen that a terminal obeys. The line ends and the tabs of tsv are momo's own. */
const obeyed = (screen: string) =>
  [...screen.replaceAll(/\r\n|\t/g, "")].filter((character) =>
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u00AD\u200B\u2060-\u206F\u3164\uFEFF\u{E0000}-\u{E01EF}]/u.test(character),
  );
/** The same where a library draws with its own escape sequences. */
const obeyedOfPrompts = (screen: string) => [
  ...obeyed(stripVTControlCharacters(screen)),
  ...["\x1b]0;", "\x1b[2J"].filter((sequence) => screen.includes(sequence)),
];

/** A server with hostile text in every member of its answers. */
const transaction = { id: 1, status: HOSTILE, type: HOSTILE, amount: 1, phone: HOSTILE, [HOSTILE]: HOSTILE };
/** Without a right status, no payment is shown. */
const payment = { ...transaction, status: "pending" };
const finding = {
  ...{ kind: HOSTILE, severity: HOSTILE, message: HOSTILE, advice: HOSTILE, section: HOSTILE },
  ...{ request_ids: [HOSTILE], first_at: HOSTILE, count: 1 },
};
const answer = {
  ...{ success: true, message: HOSTILE, now: HOSTILE, version: HOSTILE, pid: HOSTILE, ...payment },
  ...{ checkout_request_id: HOSTILE, transaction: payment, transactions: [transaction] },
  ...{ outcome: HOSTILE, after: HOSTILE, rules: [{ match: { reference: HOSTILE }, outcome: HOSTILE, after: HOSTILE }] },
  ...{ faults: [{ kind: HOSTILE, path: HOSTILE }], findings: [finding], left_out: 1 },
  pagination: { current_page: 1, total_pages: 2, total_items: 2 },
};
const foreign = serveFake(() => Response.json(answer));
const refusing = serveFake(() => Response.json({ success: false, message: HOSTILE }, { status: 400 }));

/** A data directory with a hostile path and hostile names in its database. */
const data = join(newFolder(), TURNED);
const at = ["--data", data];
const sandbox = await startIn(data);
for (const name of [TURNED, `${TURNED} 2`]) await sandbox.control("POST", "/merchants", { name });
await sandbox.control("POST", "/accounts", { name: TURNED });
await sandbox.control("POST", "/keys", { label: TURNED });
await sandbox.stop();
const copy = join(newFolder(), `${TURNED}.copy`);
await runMomo(["export", copy, ...at]);

/** A data directory whose server is the foreign one. */
const recorded = newFolder();
writeServerRecord(recorded, foreign.baseUrl.replace("/v2", ""), { id: undefined, pid: 1 });

const merchantApi = flagsOf(foreign);
const controlApi = ["--base-url", foreign.baseUrl];
/** For each command what makes it print hostile text: an answer, a name, a path, or a wrong word. */
const CASES: Record<string, string[][]> = {
  pay: [
    ["0712345678", "1", "--account", "1", ...merchantApi],
    ["0712345678", "1", "--account", "1", "-q", ...merchantApi],
    ["0712345678", "1", "--outcome", HOSTILE],
  ],
  status: [["x", ...merchantApi], ["x", "--json", ...merchantApi], ["x", "--format", "tsv", ...merchantApi], [HOSTILE]],
  list: [merchantApi, flagsOf(refusing), ["--json", ...flagsOf(refusing)]],
  env: [merchantApi],
  answer: [["x", "--pin", "1234", ...controlApi]],
  clock: [["show", ...controlApi]],
  reset: [
    ["--yes", ...controlApi],
    ["--yes", "--base-url", refusing.baseUrl],
  ],
  audit: [controlApi, ["--json", ...controlApi]],
  rules: [
    ["list", ...controlApi],
    ["add", "cancelled", "--reference", TURNED, ...controlApi],
  ],
  faults: [["list", ...controlApi]],
  default: [["show", ...controlApi]],
  open: [["--print", ...controlApi]],
  tail: [controlApi],
  webhooks: [["resend", "1", ...controlApi]],
  snapshot: [["save", "x", ...controlApi]],
  health: [["--data", join(newFolder(), TURNED)]],
  serve: [["--rules", HOSTILE, "--ephemeral"]],
  merchants: [["list", ...at], [HOSTILE]],
  accounts: [["create", "--name", TURNED, "--merchant", "1", ...at]],
  keys: [
    ["list", "--merchant", "1", ...at],
    ["revoke", HOSTILE, ...at],
  ],
  exec: [["--", HOSTILE]],
  export: [
    [copy, ...at],
    [join(newFolder(), TURNED), ...at],
    [join(HOSTILE, "x"), ...at],
  ],
  import: [
    [copy, "--data", join(newFolder(), TURNED)],
    [HOSTILE, ...at],
  ],
  migrate: [["--database", `postgres://momo@127.0.0.1:1/${TURNED}`]],
  check: [
    ["--target", HOSTILE],
    ["--target", foreign.baseUrl],
  ],
  doctor: [
    [...at, "--port", "0"],
    ["--data", recorded, "--port", "0"],
  ],
  outcomes: [[HOSTILE]],
  client: [[HOSTILE]],
  completion: [[HOSTILE]],
  help: [[HOSTILE]],
  version: [[HOSTILE]],
  phone: [[HOSTILE]],
  mcp: [["--base-url", HOSTILE]],
};
/** The line of a command that goes on for long. */
const REWRITTEN = "\x1b[G\x1b[K";
/** `momo check` takes its key from the environment only. */
const CHECK_KEYS = { MOMO_API_KEY: "mk_owner", MOMO_API_SECRET: "ms_owner" };
const LINES = Object.entries(CASES).flatMap(([name, all]) => all.map((args) => [name, ...args]));

describe("at a terminal no command prints control and direction characters from other people's text", () => {
  for (const args of LINES) {
    test.concurrent(`momo ${JSON.stringify(args).slice(1, 90)}`, async () => {
      const { screen, exited } = openMomo(args, { env: { NO_COLOR: "1", ...(args[0] === "check" && CHECK_KEYS) } });
      expect(await exited).toBeNumber();
      expect(screen.text).not.toBe("");
      expect(obeyed(screen.text.replaceAll(REWRITTEN, ""))).toEqual([]);
      expect(screen.text).not.toMatch(/^momo: all is well/m);
    });
  }

  test("every command with a file of its own has a case: one file makes the others of the calls", () => {
    const names = Object.values(COMMANDS).flatMap((commands) => Object.keys(commands));
    expect(Object.keys(CASES)).toEqual(expect.arrayContaining([...names, "help", "version"]));
  });

  test.concurrent("momo serve: its folder and its requests", async () => {
    const folder = join(newFolder(), TURNED);
    mkdirSync(folder);
    const args = ["serve", "--log", "requests", "--port", "0", "--data", join(folder, "data")];
    const { screen } = openMomo(args, { env: { NO_COLOR: "1" } });
    const [, address = ""] = await screen.until(/API +(\S+)\/v2[\s\S]*Ready/);
    await fetch(`${address}/v2/nowhere\u202E`, { method: "POST", body: HOSTILE });
    await screen.until(/404 {2}POST/);
    expect(obeyed(screen.text)).toEqual([]);
  });

  test.concurrent("a question: which merchant", async () => {
    const { screen, type, exited } = openMomo(["keys", "create", ...at]);
    await screen.until(/Which merchant\?[\s\S]*\(2\)/);
    type(KEYS.ctrlC);
    await exited;
    expect(obeyedOfPrompts(screen.text)).toEqual([]);
  });

  test.concurrent("momo phone: a reference and a description", async () => {
    const { at, pay } = await startIn(newFolder());
    const hostile = HOSTILE.slice(0, 100);
    await pay({ reference: hostile, description: hostile }, "manual");
    const { screen, type } = openMomo(["phone", ...at]);
    await screen.until(/M-PIN/);
    type(`1234${KEYS.enter}`);
    await screen.until(/Confirmed/);
    expect(obeyedOfPrompts(screen.text)).toEqual([]);
  });
});

describe("the rest of a text stays exact", () => {
  test("JSON has the same value for a program, and is escaped for a terminal", async () => {
    expect(obeyed(jsonText({ [HOSTILE]: HOSTILE }))).toEqual([]);
    const { stdout } = await runMomo(["status", "x", ...merchantApi, "--json"]);
    expect(JSON.parse(stdout)).toEqual(answer);
  });

  test("each byte arrives once, also through a full pipe that does not block", async () => {
    const long = { success: true, message: "x".repeat(300_000), status: "pending" };
    const command = [...PROGRAM, "status", "x", "--json", ...flagsOf(serveFake(() => Response.json(long)))];
    const line = `{ dd oflag=nonblock status=none </dev/null; "$@"; echo $? >&2; } | { dd bs=1 count=1 status=none; cat; }`;
    const { stdout, stderr } = await runToEnd(["sh", "-c", line, "sh", ...command]);
    expect({ stderr, isWhole: stdout === `${JSON.stringify(long)}\n` }).toEqual({ stderr: "0\n", isWhole: true });
  });

  test.each(["\u001b", "\u0085", "\u2028", "\u2029", "\u202e", "\u200b", "\u00ad", "\ufff9", "\ufffb", "\u{e0041}"])(
    "what a terminal obeys, or nobody sees, is its escape: %j",
    (character) => {
      expect(visible(`a${character}b`)).toMatch(/^a(?:\\u[0-9a-f]{4}){1,2}b$/);
    },
  );

  test("harmless text of any script does not change", () => {
    for (const text of ["", "Müller & Söhne", "قهوة", "می‌خواهم", "👩‍👩‍👧 ☕️", "日本", "क्‍ष"])
      expect(visible(text)).toBe(text);
  });
});
