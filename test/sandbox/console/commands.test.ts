import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  controlCurl,
  momoLine,
  momoWords,
  quote,
  replayCurl,
} from "../../../sandbox/console/browser/logic/commands.ts";
import type { LoggedRequest } from "../../../sandbox/console/browser/wire.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";

afterAll(cleanUp);

const SERVER = {
  base_url: "http://127.0.0.1:2547/v2",
  control_url: "http://127.0.0.1:2547/_momo",
  api_key: "mk_own",
  data: null as string | null,
};

/** The words of a line, as a shell reads them. */
async function wordsOf(line: string): Promise<string[]> {
  const shell = Bun.spawn(["sh", "-c", `MOMO_API_SECRET=ms_2; for word in ${line}; do printf '%s\\0' "$word"; done`], {
    stdout: "pipe",
  });
  return (await new Response(shell.stdout).text()).split("\0").slice(0, -1);
}

test("a shell reads every quoted word unchanged", async () => {
  const hostile = ["plain", "two words", "it's", '"$(touch x)"', "`id`", "a\nb", "-d", "", "ünï €", "\\"];
  expect(await wordsOf(hostile.map(quote).join(" "))).toEqual(hostile);
});

test("a request to the control API as curl takes the token from the shell, or from the data directory", async () => {
  expect(controlCurl(SERVER, false, "GET", "/rules")).toBe("curl -s http://127.0.0.1:2547/_momo/rules");
  expect(controlCurl(SERVER, true, "DELETE", "/rules")).toBe(
    `curl -s -X DELETE http://127.0.0.1:2547/_momo/rules -H "Authorization: Bearer \${MOMO_CONTROL_TOKEN:?set it to the control token}"`,
  );
  const data = newFolder();
  writeFileSync(join(data, "server.json"), JSON.stringify({ pid: 1, control_token: "t0ken", data }, null, 2));
  expect(await wordsOf(controlCurl({ ...SERVER, data }, true, "GET", "/rules"))).toEqual([
    ...["curl", "-s", "http://127.0.0.1:2547/_momo/rules", "-H", "Authorization: Bearer t0ken"],
  ]);
  expect(await wordsOf(controlCurl(SERVER, false, "PUT", "/default", { outcome: "it's" }))).toEqual([
    ...["curl", "-s", "-X", "PUT", "http://127.0.0.1:2547/_momo/default"],
    ...["-H", "Content-Type: application/json", "-d", `{"outcome":"it's"}`],
  ]);
});

test("a momo command has the program and the data directory of the server, and no empty flags", () => {
  const words = momoWords(["pay", "0712345678", "100"], {
    "--reference": "my order",
    "--outcome": "",
    "--kind": undefined,
  });
  expect(words).toBe("pay 0712345678 100 --reference 'my order'");
  const lineFor = (program: string, flags: string) => momoLine({ command: { program, flags } }, words);
  expect(lineFor("momo", "")).toBe(`momo ${words}`);
  expect(lineFor("/opt/momo", "--data /tmp/a")).toBe(`/opt/momo ${words} --data /tmp/a`);
});

describe("a logged request as curl", () => {
  const lineOf = (request: object) =>
    replayCurl({ target: "/v2/status.php", headers: {}, body: null, ...request } as LoggedRequest, SERVER);

  test("is sent unchanged, but takes the secret from the shell", async () => {
    const line = lineOf({
      method: "POST",
      target: "/v2/stkpush.php?x='1'",
      headers: { host: "h", "x-api-key": "mk_1", "x-api-secret": "[redacted]", "content-type": "application/json" },
      body: `{"reference":"it's"}`,
    });
    expect(await wordsOf(line)).toEqual([
      ...["curl", "-sg", "-X", "POST", "http://127.0.0.1:2547/v2/stkpush.php?x='1'"],
      ...["-H", "x-api-key: mk_1", "-H", "X-API-Secret: ms_2", "-H", "content-type: application/json"],
      ...["--data-raw", `{"reference":"it's"}`],
    ]);
  });

  test.each([
    ["GET", "/v2/status.php", "curl -sg"],
    ["HEAD", "/v2/status.php", "curl -sg -I"],
    ["PUT", "/v2/status.php", "curl -sg -X PUT"],
    ["GET", "/v2/../status.php", "curl -sg --path-as-is"],
  ])("%s %s", (method, target, command) => {
    expect(lineOf({ method, target })).toBe(`${command} 'http://127.0.0.1:2547${target}'`);
  });
});
