import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { jsonText, plain } from "../../cli/terminal/plain.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { flagsOf, serveFake } from "../support/fake-server.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { KEYS, openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

/** Turns the direction of what follows, hides a word, and is no control character: a name may hold it. */
const TURNED = "a\u202Eb\u2066c\u200Fd\u200Be\u{E0041}f";
/** What a name may not hold, but a reference may: sets the title, erases the screen, in seven bits and in eight, begins a line. */
const HOSTILE = `${TURNED}\x1b]0;owned\x07\x1b[2J\u009b2J\u2028\u2029\u061C\uFEFF\nmomo: all is well`;

/** What a terminal obeys of all this. The line ends are momo's own. */
const obeyed = (screen: string) =>
  [...screen.replaceAll("\r\n", "")].filter((character) =>
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/u.test(character),
  );
/** Where a library draws, with escape sequences of its own. */
const obeyedOfPrompts = (screen: string) => [
  ...obeyed(stripVTControlCharacters(screen)),
  ...["\x1b]0;", "\x1b[2J"].filter((sequence) => screen.includes(sequence)),
];

/** A foreign server that means harm in each word that it says. */
const transaction = { id: 1, status: HOSTILE, type: HOSTILE, amount: 1, phone: HOSTILE, [HOSTILE]: HOSTILE };
const answer = {
  ...{ success: true, message: HOSTILE, now: HOSTILE, version: HOSTILE, pid: HOSTILE, ...transaction },
  ...{ checkout_request_id: HOSTILE, transaction, transactions: [transaction] },
  pagination: { current_page: HOSTILE, total_pages: HOSTILE, total_items: HOSTILE },
};
const foreign = serveFake(() => Response.json(answer));
const refusing = serveFake(() => Response.json({ success: false, message: HOSTILE }, { status: 400 }));

/** A data directory whose every name is hostile, in a folder that is. */
const data = join(newFolder(), TURNED);
await runMomo(["merchants", "create", "--name", TURNED, "--data", data]);
await runMomo(["merchants", "create", "--name", `${TURNED} 2`, "--data", data]);
await runMomo(["accounts", "create", "--name", TURNED, "--data", data]);
await runMomo(["keys", "create", "--label", TURNED, "--merchant", "1", "--data", data]);
const at = ["--data", data];
const copy = join(newFolder(), `${TURNED}.copy`);
await runMomo(["export", copy, ...at]);
const recorded = newFolder();
const control_url = foreign.baseUrl.replace("/v2", "/_momo");
const record = { pid: 1, base_url: foreign.baseUrl, control_url, control_token: null };
writeFileSync(join(recorded, "server.json"), JSON.stringify(record), { mode: 0o600 });

const ONLINE = [
  ["pay", "0712345678", "1", "--account", "1", "--reference", HOSTILE],
  ["pay", "0712345678", "1", "--account", "1", "-q"],
  ["status", HOSTILE],
  ["list"],
  ["env"],
];
const STEERING = [
  ["answer", HOSTILE, "--pin", "1234"],
  ["clock", "show"],
  ["reset", "--yes"],
  ["audit"],
  ["rules", "list"],
  ["rules", "add", "cancelled", "--reference", TURNED],
  ["faults", "list"],
  ["default", "show"],
  ["open", "--print"],
  ["tail"],
  ["webhooks", "resend", "1"],
  ["snapshot", "save", "x"],
];
const OFFLINE: Record<string, string[][]> = {
  health: [["--data", join(newFolder(), TURNED)]],
  serve: [
    ["--port", "x"],
    ["--rules", HOSTILE, "--ephemeral"],
  ],
  pay: [
    [HOSTILE, "1"],
    ["0712345678", HOSTILE],
    ["0712345678", "1", "--outcome", HOSTILE],
  ],
  merchants: [["list", ...at], ["create", "--name", TURNED, ...at], [HOSTILE]],
  accounts: [
    ["list", ...at],
    ["create", "--name", TURNED, ...at],
  ],
  keys: [
    ["list", ...at],
    ["create", "--label", TURNED, "--merchant", "1", ...at],
    ["revoke", HOSTILE, ...at],
  ],
  exec: [["--", HOSTILE.replaceAll("\0", "")]],
  export: [
    [copy, ...at],
    [join(newFolder(), TURNED), ...at],
    [join(HOSTILE, "x"), ...at],
  ],
  import: [
    [copy, ...at],
    [copy, "--data", join(newFolder(), TURNED)],
    [HOSTILE, ...at],
  ],
  migrate: [
    ["--database", HOSTILE],
    ["--database", `postgres://momo@127.0.0.1:1/${TURNED}`],
  ],
  doctor: [
    [...at, "--port", "0"],
    ["--data", recorded, "--port", "0"],
  ],
  outcomes: [[HOSTILE]],
  completion: [[HOSTILE]],
  help: [[HOSTILE]],
  version: [[HOSTILE]],
  phone: [[HOSTILE]],
};

const CASES = [
  ...ONLINE.map((args) => [...args, ...flagsOf(foreign)]),
  ...STEERING.map((args) => [...args, "--base-url", foreign.baseUrl]),
  ["list", ...flagsOf(refusing)],
  ["reset", "--yes", "--base-url", refusing.baseUrl],
  ...Object.entries(OFFLINE).flatMap(([name, all]) => all.map((args) => [name, ...args])),
];

describe("at a terminal no command shows control and direction characters of somebody else", () => {
  for (const args of CASES) {
    const flags = args[0] === "exec" || args.includes("-q") ? [[]] : [[], ["--json"]];
    for (const json of flags) {
      test.concurrent(`momo ${JSON.stringify([...args, ...json]).slice(1, 90)}`, async () => {
        const { screen, exited } = openMomo([...args, ...json], { env: { NO_COLOR: "1" } });
        await exited;
        expect(screen.text).not.toBe("");
        expect(obeyed(screen.text)).toEqual([]);
        expect(screen.text).not.toMatch(/^momo: all is well/m);
      });
    }
  }

  test("and that is every command", async () => {
    const { stdout } = await runMomo(["--help"]);
    const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name ?? "");
    const tried = new Set(CASES.map(([name]) => name));
    expect(names.filter((name) => !tried.has(name))).toEqual([]);
  });

  test.concurrent("the server, its folder and its requests", async () => {
    const folder = join(newFolder(), TURNED);
    mkdirSync(folder);
    const { screen } = openMomo(["serve", "--log", "requests", "--port", "0", "--data", join(folder, "data")], {
      env: { NO_COLOR: "1" },
    });
    const [, address = ""] = await screen.until(/API +(\S+)\/v2[\s\S]*Ready/);
    await fetch(`${address}/v2/nowhere\u202E`, { method: "POST", body: HOSTILE });
    await screen.until(/404 {2}POST/);
    expect(obeyed(screen.text)).toEqual([]);
  });

  test.concurrent("the questions: which merchant", async () => {
    const { screen, type, exited } = openMomo(["keys", "create", ...at]);
    await screen.until(/Which merchant\?[\s\S]*\(2\)/);
    type(KEYS.ctrlC);
    await exited;
    expect(obeyedOfPrompts(screen.text)).toEqual([]);
  });

  test.concurrent("the phone: a business, a reference and a description", async () => {
    const server = await serveMomo(["--data", join(newFolder(), "data")]);
    const order = { payment_account_id: server.ready.payment_account_id, phone: "0712345678", amount: 1 };
    const hostile = HOSTILE.slice(0, 100);
    await server.post(
      "/stkpush.php",
      { ...order, reference: hostile, description: hostile },
      { "X-Sandbox-Outcome": "manual" },
    );
    const { screen, type } = openMomo(["phone", ...server.at]);
    await screen.until(/M-PIN/);
    type(`1234${KEYS.enter}`);
    await screen.until(/Confirmed/);
    expect(obeyedOfPrompts(screen.text)).toEqual([]);
  });
});

describe("what is left is exact", () => {
  test("JSON is the same value for a program, and escaped for a terminal", async () => {
    expect(JSON.parse(jsonText({ [HOSTILE]: HOSTILE }))).toEqual({ [HOSTILE]: HOSTILE });
    expect(obeyed(jsonText({ [HOSTILE]: HOSTILE }))).toEqual([]);
    const { stdout } = await runMomo(["status", "x", ...flagsOf(foreign), "--json"]);
    expect(JSON.parse(stdout)).toEqual(answer);
  });

  test("harmless text of any script stays as it is", () => {
    for (const text of ["", "Müller & Söhne", "قهوة", "می‌خواهم", "👩‍👩‍👧 ☕️", "日本", "क्‍ष"])
      expect(plain(text)).toBe(text);
  });
});
