import { afterAll, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificates } from "../../../cli/intercept/certificate.ts";
import { systemClock, systemRandom } from "../../../src/system.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { runMomo, startMomo } from "../../support/momo.ts";
import { intercept, KEY, PUSH, PYTHON, SECRET, sh } from "./sources.ts";

afterAll(cleanUp);

describe("the credentials of an intercepted request", () => {
  test.concurrent("any key and secret count as the sandbox's own, and none of them is in the log", async () => {
    const pushes = ["", "-H 'Transfer-Encoding: chunked'"].map((how) => `${PUSH} ${how} ${KEY} ${SECRET}`);
    const { stdout, exitCode } = await sh([...pushes, 'curl -sS "$MOMO_CONTROL_URL/requests"'].join(" && "));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^(\{"success":true,"message":"STK push sent[^}]*\}){2}/);
    expect(stdout).toContain('"x-api-secret":"[redacted]"');
    expect(stdout).not.toContain("of_a_shop");
  });

  test.concurrent("a request without credentials is refused, and so is a key or a secret without the other, or with an empty one", async () => {
    const halves = [KEY, SECRET, `${KEY} -H 'X-API-Secret;'`, `${SECRET} -H 'X-API-Key;'`];
    const pushes = ["", ...halves].map((headers) => `${PUSH} ${headers} -w ' %{http_code}'`);
    const { stdout } = await sh(pushes.join("; "));
    expect(stdout).toMatch(/^(\{"success":false,.*?\} 401){5}$/);
  });

  test.concurrent("a request to the sandbox's own address needs the sandbox's own key", async () => {
    const { stdout } = await sh(`curl -sS "$MOMO_BASE_URL/transactions.php" ${KEY} ${SECRET} -w ' %{http_code}'`);
    expect(stdout).toMatch(/ 401$/);
  });
});

test.concurrent("an intercepted request has the answer of one to the sandbox's own address, and the same faults", async () => {
  const fault = (kind: string) =>
    `curl -sSX PUT -H 'Content-Type: application/json' -d '{"faults":[{"kind":"${kind}"}]}' -o fault $MOMO_CONTROL_URL/faults`;
  const requests = [
    "",
    "-I -o head",
    "-X PUT",
    "-X OPTIONS",
    "-X GET -d x",
    "-Gd search=A%2FB+%26",
    "-H Origin:http://x",
  ];
  const asks = [...requests.map((how) => `ask ${how}`), fault("error"), "ask", fault("disconnect"), "ask"];
  const ask = `ask() { for url in "$MOMO_BASE_URL" https://payflow.example/v2; do
    curl -s "$@" $url/transactions.php -H "X-API-Key: $MOMO_API_KEY" -H "X-API-Secret: $MOMO_API_SECRET" \\
      -w ' %{http_code} %{content_type}\\n'; done; }`;
  const lines = (await sh([ask, ...asks].join("\n"))).stdout.replace(/\n$/, "").split("\n");
  const [direct, intercepted] = [0, 1].map((rest) => lines.filter((_, index) => index % 2 === rest));
  const statuses = direct?.map((line) => line.split(" ").at(-2));
  expect(statuses?.join(" ")).toBe("200 405 405 405 200 200 403 500 000");
  expect(intercepted).toEqual(direct ?? []);
});

describe("the payment account of an intercepted request", () => {
  const push = (id: string) => `${PUSH.replace('_id": 1', `_id": ${id}`)} ${KEY} ${SECRET}; echo`;

  test.concurrent("is opened at its first use, and the report notes it once", async () => {
    const script = `${push("17")}; ${push("17")} & ${push("2147483647")} & wait
      curl -sS "$MOMO_CONTROL_URL/accounts"`;
    const args = ["exec", "--intercept", "payflow.example", "--fee", "2%", "--audit=error", "--", "sh", "-c", script];
    const { stdout, stderr } = await runMomo(args);
    expect(stdout.match(/"success":true,"message":"STK/g)).toHaveLength(3);
    const { accounts } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(accounts.map(({ id, fee }: { id: number; fee: string }) => `${id} ${fee}`)).toEqual([
      ...["1 2%", "17 2%", "2147483647 2%"],
    ]);
    expect(stderr.match(/Payment account \d+ did not exist/g)).toHaveLength(2);
  });

  test.concurrent("is refused if its id is too great, no id, or another merchant's", async () => {
    const other = `curl -sS "$MOMO_CONTROL_URL/merchants" -H "Content-Type: application/json" -d '{"name":"Other"}';
      curl -sS "$MOMO_CONTROL_URL/accounts" -H "Content-Type: application/json" -d '{"name":"Theirs","merchant_id":2}'`;
    const script = `(${other}) >&2; ${push("2")}; ${push("2147483648")}; ${push("0")}`;
    const { stdout } = await sh(script);
    const refusals = stdout.trim().split("\n");
    expect(refusals).toHaveLength(3);
    for (const [index, id] of ["2", "2147483648", "0"].entries()) {
      expect(refusals[index]).toContain(
        `is not the id of a payment account of yours; it is ${id}, and yours are 1. momo accounts`,
      );
    }
  });
});

describe("what is intercepted", () => {
  test.concurrent("each of several hosts, and no path of the control API; one line names those that nothing reached", async () => {
    const script = `for path in payflow.example/api/v2/status.php other.example/v2/status.php other.example/_momo/requests \\
      other.example/x/%2E./v2/status.php 'other.example/v2/status.php?x=/../'; do
      curl -s --path-as-is -o /dev/null -w '%{http_code} ' -X POST "https://$path"; done`;
    const hosts = "a.example,payflow.example,other.example,b.example";
    expect(await runMomo(["exec", "--intercept", hosts, "--", "sh", "-c", script])).toEqual({
      stdout: "401 401 404 400 401 ",
      stderr: `momo: no request of the command reached a.example or b.example here; momo help intercept has the causes\n`,
      exitCode: 0,
    });
  });

  test.concurrent("a host with a final dot, in capitals, with its port, and in its IDN form, by each way to it", async () => {
    const urls = ["https://PAYFLOW.Example.:443/", "https://bücher.example./"];
    const each = (run: string) => `for (const url of ${JSON.stringify(urls)}) ${run}`;
    const fetches = each("fetch(url).then((r) => r.text()).then(console.log)");
    const gets = each('require("node:https").get(url, (r) => r.on("end", () => console.log()).pipe(process.stdout))');
    const script = [
      ...urls.map((url) => `curl -sS "${url}"`),
      `node -e '${fetches}'`,
      `node -e '${gets}'`,
      `'${process.execPath}' -e '${fetches}'`,
      `${PYTHON} -c 'import ssl, urllib.request as u, urllib.error as e
strict = ssl.create_default_context()
strict.verify_flags |= ssl.VERIFY_X509_STRICT # the default from Python 3.13 on
for url in ${JSON.stringify(urls)}:
    try: u.urlopen(url.replace("bücher", "xn--bcher-kva"), context=strict)
    except e.HTTPError as error: print(error.read().decode())'`,
    ].join("\necho\n");
    const run = await runMomo(["exec", "--intercept", "PAYFLOW.example,Bücher.example.", "--", "sh", "-c", script], {
      env: { LC_ALL: "C.UTF-8" }, // for curl
    });
    expect({ answers: run.stdout.trim().split(/\n+/), stderr: run.stderr }).toEqual({
      answers: Array.from({ length: 10 }, () => expect.stringMatching(/^\{"success":false,.*stkpush/)),
      stderr: "",
    });
  });

  test.concurrent("below a folder whose name has a space", async () => {
    const TMPDIR = join(newFolder(), "my files");
    mkdirSync(TMPDIR);
    const ask = `-e 'fetch("https://payflow.example/").then((r) => console.log(r.status))'`;
    const line = `${PUSH} ${KEY} ${SECRET}; echo; node ${ask}; '${process.execPath}' ${ask}`;
    const stdout = expect.stringMatching(/"success":true.*\n404\n404\n$/);
    expect(await sh(line, { env: { TMPDIR } })).toEqual({ stdout, stderr: "", exitCode: 0 });
  });

  test.concurrent("a client that names port and host as arguments", async () => {
    const script = `require("node:tls").connect(443, "payflow.example", { ALPNProtocols: ["http/1.1"] }, function () {
      console.log(this.alpnProtocol);
      this.end("GET / HTTP/1.0\\r\\nHost: payflow.example\\r\\n\\r\\n");
      this.pipe(process.stdout); })`;
    const stdout = expect.stringMatching(/^http\/1\.1\nHTTP\/1\.[01] 404 /);
    expect(await intercept(["node", "-e", script])).toMatchObject({ stdout, stderr: "" });
  });

  test.concurrent("the programs that a program starts, whatever starts them", async () => {
    const file = join(newFolder(), "parent.cjs");
    const line = `${PUSH} ${KEY} ${SECRET}`;
    writeFileSync(
      file,
      `const { exec, execSync, spawnSync } = require("node:child_process");
       const line = ${JSON.stringify(line)};
       exec(line, (error, stdout) => {
         const all = [stdout, String(execSync(line)), String(spawnSync("sh", ["-c", line], { env: { ...process.env } }).stdout)];
         try { execSync("exit 1"); } catch {}
         console.log(all.map((text) => JSON.parse(text).success).join());
         console.log(String(process.env.HTTPS_PROXY), process.env.MINE);
       });`,
    );
    const run = await intercept(["node", file], { env: { MINE: "as it was" } });
    expect(run).toEqual({ stdout: "true,true,true\nundefined as it was\n", stderr: "", exitCode: 0 });
  });

  test.concurrent("without --intercept, nothing: the environment has no proxy and no certificate", async () => {
    const { stdout } = await runMomo(["exec", "--", "env"]);
    expect(stdout).not.toMatch(/^(?:HTTPS_PROXY|NODE_OPTIONS|SSL_CERT_FILE|BUN_OPTIONS)=/im);
  });
});

describe("one line names a program that does not trust the certificate of the run", () => {
  const count = (stderr: string) => stderr.split("it does not trust the certificate of this run").length - 1;

  test.concurrent("curl with its own authorities, however often", async () => {
    const file = join(newFolder(), "own.pem");
    writeFileSync(file, makeCertificates(["x.example"], systemClock, systemRandom).authority);
    const { stderr, exitCode } = await sh(
      `for n in 1 2 3; do curl -sS --cacert '${file}' https://payflow.example/; done`,
    );
    expect(exitCode).toBe(60);
    expect(count(stderr)).toBe(1);
  });
});

test("the certificates are valid for a client whose clock is a day behind, and for a week", () => {
  const now = 1_800_000_000_000;
  const made = makeCertificates(["payflow.example"], { ...systemClock, nowMs: () => now }, systemRandom);
  for (const pem of [made.authority, made.certificate, made.dotted]) {
    const { validFromDate, validToDate } = new X509Certificate(pem);
    expect(now - validFromDate.getTime()).toBe(86_400_000);
    expect(validToDate.getTime() - now).toBe(7 * 86_400_000);
  }
});

test.concurrent("an outer proxy that makes no tunnels, and too long a path are refused before the command runs", async () => {
  const proxy = await intercept(["echo", "run"], { env: { ALL_PROXY: "socks5://127.0.0.1:1" } });
  expect(proxy).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringContaining("it is socks5://") });
  const TMPDIR = join(newFolder(), "x".repeat(90));
  mkdirSync(TMPDIR);
  const long = await intercept(["echo", "run"], { env: { TMPDIR } });
  expect(long).toMatchObject({ stdout: "", exitCode: 1, stderr: expect.stringContaining("variable TMPDIR") });
  expect(readdirSync(TMPDIR)).toEqual([]);
});

test.concurrent("a process that the command leaves behind with an open connection does not hold up the end", async () => {
  const upload = "sleep 50 2>&- | curl -sv -T - https://payflow.example/file >out 2>log &";
  expect(await sh(`${upload} until grep -q '^> PUT' log; do sleep 0.05; done`)).toMatchObject({ exitCode: 0 });
});

describe("afterwards nothing is left", () => {
  const LIST = `find "$MOMO_DATA" -type f; grep -rl "PRIVATE KEY" "$MOMO_DATA" && echo "a key on the disk"`;

  test.concurrent("no key of the authority or the server is ever in a file, and no file and no port is there afterwards", async () => {
    const home = newFolder();
    const { stdout } = await sh(`${LIST}; echo "$HTTPS_PROXY"`, { env: { TMPDIR: home } });
    expect(stdout).toContain("/intercept/preload.cjs\n");
    expect(stdout).not.toContain("a key on the disk");
    expect(readdirSync(home)).toEqual([]);
    const proxy = stdout.trim().split("@").at(-1) ?? "";
    expect(await fetch(`http://${proxy}`).catch(() => "refused")).toBe("refused");
  });

  test.concurrent("what a kill -9 leaves has no such key in it, and the next run removes it", async () => {
    const TMPDIR = newFolder();
    const file = join(newFolder(), "pid");
    const script = `echo $$ >'${file}'; echo ready; exec sleep 60`;
    const child = startMomo(["exec", "--intercept", "payflow.example", "--", "sh", "-c", script], { env: { TMPDIR } });
    await child.stdout.until(/ready/);
    child.signal("SIGKILL");
    process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
    await child.exited;
    const [left = ""] = readdirSync(TMPDIR);
    expect(left).toStartWith("momo-temporary-");
    expect(existsSync(join(TMPDIR, left, "intercept/preload.cjs"))).toBe(true);
    for (const name of readdirSync(join(TMPDIR, left), { recursive: true, encoding: "utf8" })) {
      const text = await Bun.file(join(TMPDIR, left, name))
        .text()
        .catch(() => "");
      expect(text).not.toContain("PRIVATE KEY");
    }
    await intercept(["true"], { env: { TMPDIR } });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });
});
