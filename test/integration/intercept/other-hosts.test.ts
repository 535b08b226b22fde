import { afterAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, createServer as createNetServer } from "node:net";
import { join } from "node:path";
import { makeCertificates } from "../../../cli/intercept/certificate.ts";
import { systemClock, systemRandom } from "../../../src/system.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { missing, type Needed, testWith } from "../../support/needs.ts";
import { KEY, PUSH, PYTHON, SECRET, sh, writeProgram } from "./sources.ts";

afterAll(cleanUp);

describe("nothing but the named hosts is touched", () => {
  /** A service that is not the sandbox, with its own certificate; one for all tests. */
  let service: ReturnType<typeof serveElsewhere> | undefined;
  function elsewhere() {
    service ??= serveElsewhere();
    return service;
  }
  function serveElsewhere() {
    const { authority, certificate, key } = makeCertificates(["localhost"], systemClock, systemRandom);
    const server = Bun.serve({
      hostname: "localhost",
      port: 0,
      tls: { cert: certificate, key },
      fetch: ({ headers }) => Response.json(`elsewhere: ${headers.get("X-API-Key")}`),
    });
    later(() => server.stop(true));
    const file = join(newFolder(), "authority.pem");
    writeFileSync(file, authority.trimEnd()); // as many companies write it
    return { url: `https://localhost:${server.port}/`, file };
  }

  interface OwnList {
    readonly command: string;
    /** A program of SOURCES. */
    readonly file: string;
    /** Names the authorities that it trusts. */
    readonly variable: string;
    readonly needs: readonly Needed[];
  }
  const CLIENTS: readonly OwnList[] = [
    { command: "node", file: "fetch.mjs", variable: "NODE_EXTRA_CA_CERTS", needs: ["node"] },
    { command: process.execPath, file: "fetch.mjs", variable: "NODE_EXTRA_CA_CERTS", needs: [] },
    { command: "sh", file: "curl.sh", variable: "CURL_CA_BUNDLE", needs: ["curl"] },
    { command: "sh", file: "curl.sh", variable: "SSL_CERT_FILE", needs: ["curl"] },
    { command: PYTHON, file: "urllib_client.py", variable: "SSL_CERT_FILE", needs: ["python3"] },
    { command: PYTHON, file: "requests_client.py", variable: "REQUESTS_CA_BUNDLE", needs: ["python3 requests"] },
    { command: PYTHON, file: "requests_client.py", variable: "CURL_CA_BUNDLE", needs: ["python3 requests"] },
    { command: "php", file: "curl.php", variable: "CURL_CA_BUNDLE", needs: ["php curl"] },
    { command: "sh", file: "wget.sh", variable: "SSL_CERT_FILE", needs: ["wget"] },
    { command: "perl", file: "lwp.pl", variable: "SSL_CERT_FILE", needs: ["perl LWP"] },
  ];

  /** Runs clients one after the other below one momo. @returns what each has written, and its exit code; and what momo writes */
  async function runAll(clients: readonly OwnList[], variable?: string) {
    const { url, file: authorities } = elsewhere();
    const lines = clients.map(({ command, file }, index) => {
      const program = writeProgram(file, url);
      return `${command} '${program}' >out-${index} 2>error-${index}; echo $? >code-${index}`;
    });
    const cwd = newFolder();
    const env: Record<string, string> = variable === undefined ? {} : { [variable]: authorities };
    const run = await sh([...lines, `${PUSH} ${KEY} ${SECRET}`].join("\n"), { cwd, env });
    const read = (name: string) => readFileSync(join(cwd, name), "utf8");
    return {
      run,
      of(client: OwnList) {
        const index = clients.indexOf(client);
        return {
          stdout: read(`out-${index}`),
          stderr: read(`error-${index}`),
          exitCode: Number(read(`code-${index}`)),
        };
      },
    };
  }

  const here = CLIENTS.filter(({ needs }) => missing(...needs) === "");
  const runs = new Map<string | undefined, ReturnType<typeof runAll>>();
  /** One run for all clients that read a variable, and one for all without any. */
  function runWith(variable?: string) {
    const clients = here.filter((client) => variable === undefined || client.variable === variable);
    const run = runs.get(variable) ?? runAll(clients, variable);
    runs.set(variable, run);
    return run;
  }

  for (const client of CLIENTS) {
    const { command, file, variable, needs } = client;
    const reaches = async () => {
      const trusting = await runWith(variable);
      const reached = trusting.of(client);
      expect(reached.exitCode, reached.stderr).toBe(0);
      expect(reached.stdout).toContain('"elsewhere: live_key"');
      expect(trusting.run.exitCode).toBe(0);
      expect(trusting.run.stdout).toContain('"success":true');
      const strict = await runWith();
      const refused = strict.of(client);
      expect(refused.exitCode).not.toBe(0);
      if (file !== "wget.sh") expect(refused.stderr).toMatch(/certificate|CERT|issuer/i); // wget -q does not say why
      expect(strict.run.stderr).not.toContain("momo: a program");
    };
    const name = `${command.split("/").at(-1)} ${file} reaches another host, verifies it by the caller's own ${variable}, and fails without it`;
    testWith(needs, name, reaches, test.concurrent);
  }

  test.concurrent("without a list of the caller's own, a program trusts the system's authorities", async () => {
    const lists = ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"];
    const { stdout } = await sh(lists.map((name) => `grep -c BEGIN "$${name}"`).join("; "));
    const counts = stdout.trim().split("\n").map(Number);
    expect(counts.filter((count) => count > 50)).toHaveLength(lists.length);
  });

  const closeEarly = async () => {
    const { url: URL } = elsewhere();
    const { stderr } = await sh(`for n in $(seq 20); do wget -q -O - "$URL" 2>&-; done`, { env: { URL } });
    expect(stderr).toMatch(/^momo: no request of the command reached payflow.example here; .*\n$/);
  };
  testWith(["wget"], "programs that close their tunnels early cause no warning", closeEarly, test.concurrent);

  /** A company's proxy. @param refusal its answer to each tunnel, if it makes none */
  async function companyProxy(refusal?: string) {
    const tunnels: string[] = [];
    const server = createServer((_, response) => response.writeHead(501).end());
    server.on("connect", ({ url = "", headers }, socket) => {
      tunnels.push(`${url} ${atob((headers["proxy-authorization"] ?? "").replace("Basic ", ""))}`);
      if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
      const [host = "", port] = url.split(":");
      const peer = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        peer.pipe(socket).pipe(peer);
      });
      peer.on("error", () => socket.destroy());
      socket.on("error", () => peer.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    later(() => server.close());
    return { url: `http://user:pass@127.0.0.1:${(server.address() as AddressInfo).port}`, tunnels };
  }

  test.concurrent("the caller's own proxy is used for other hosts, and never for the named ones", async () => {
    const { url, file } = elsewhere();
    const proxy = await companyProxy();
    const env = { HTTPS_PROXY: proxy.url, CURL_CA_BUNDLE: file };
    const { stdout, stderr } = await sh(
      `curl -sS ${url}; ${PUSH} ${KEY} ${SECRET}; node -e 'fetch("https://payflow.example/").then((r) => console.log(r.status, process.env.HTTPS_PROXY))'`,
      { env },
    );
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^"elsewhere: null"\{"success":true.*\}404 http:\/\/user:pass@/),
      stderr: "",
    });
    expect(proxy.tunnels).toEqual([`${new URL(url).host} user:pass`]);
  });

  test.concurrent("what a program sends together with its CONNECT reaches the other host, and what comes with the tunnel the program", async () => {
    const echo = createNetServer((socket) => socket.once("data", (data) => socket.end(`heard ${data}`)));
    echo.listen(0, "127.0.0.1");
    await once(echo, "listening");
    later(() => echo.close());
    const { port } = echo.address() as AddressInfo;
    const line = `'${process.execPath}' -e '
      const { hostname, port, username, password } = new URL(process.env.HTTPS_PROXY);
      const socket = require("node:net").connect(Number(port), hostname);
      const pass = btoa(username + ":" + decodeURIComponent(password));
      socket.write("CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\nHost: x\\r\\nProxy-Authorization: Basic " + pass + "\\r\\n\\r\\nfirst bytes");
      socket.pipe(process.stdout);'`;
    expect((await sh(line)).stdout).toMatch(/^HTTP\/1.1 200 .*\r\n\r\nheard first bytes$/s);
    const proxy = await companyProxy("200 OK\r\n\r\n220 mail.example");
    const { stdout } = await sh(line, { env: { HTTPS_PROXY: proxy.url } });
    expect(stdout).toMatch(/^HTTP\/1.1 200 .*\r\n\r\n220 mail.example\r\n\r\n$/s);
  });

  test.concurrent("the refusal of the caller's own proxy reaches the program at once", async () => {
    const proxy = await companyProxy("403 Forbidden");
    const asks = "curl -sS -m 20 https://[::1]:1/; curl -sS -m 20 -i https://localhost:1/";
    const run = await sh(asks, { env: { HTTPS_PROXY: proxy.url } });
    expect(run).toMatchObject({ stdout: expect.stringMatching(/^HTTP\/1.1 502 /), exitCode: 56 });
    const other = proxy.url.replace("http://", "");
    for (const password of ["p%40ss", "100%", ""]) {
      await sh("curl -sS -m 20 https://localhost:1/", { env: { HTTPS_PROXY: other.replace("pass", password) } });
    }
    const others = ["p@ss", "100%", ""].map((password) => `localhost:1 user:${password}`);
    expect(proxy.tunnels).toEqual(["[::1]:1 user:pass", "localhost:1 user:pass", ...others]);
  });

  test.concurrent("a proxy of the caller's own that never answers does not keep momo when the program has given up", async () => {
    const mute = createNetServer(() => {}).listen(0, "127.0.0.1");
    await once(mute, "listening");
    later(() => mute.close());
    const { port } = mute.address() as AddressInfo;
    const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
    expect((await sh("curl -sS -m 0.5 https://other.example/", { env })).exitCode).toBe(28);
  });

  test.concurrent("NO_PROXY still applies to the caller's own proxy, and does not exempt a named host", async () => {
    const { url, file } = elsewhere();
    const proxy = await companyProxy();
    for (const NO_PROXY of ["localhost,.example", "*"]) {
      const env = { https_proxy: proxy.url, NO_PROXY, CURL_CA_BUNDLE: file };
      const { stdout } = await sh(`curl -sS ${url}; ${PUSH} ${KEY} ${SECRET}`, { env });
      expect(stdout).toMatch(/^"elsewhere: null"\{"success":true/);
    }
    expect(proxy.tunnels).toEqual([]);
  });

  test.concurrent("for a host that is down the program gets the error, and momo prints nothing", async () => {
    const run = await sh(`curl -sS https://127.0.0.2:1/; curl -sS https://localhost:1/`);
    expect(run.exitCode).not.toBe(0);
    expect(run.stderr).not.toContain("momo: a program");
  });

  test.concurrent("the caller's NODE_OPTIONS, PHP_INI_SCAN_DIR, BUN_OPTIONS and .wgetrc still apply", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, ".wgetrc"), "tries = 7");
    writeFileSync(join(folder, "own.cjs"), `process.env.FIRST = "own.cjs";`);
    mkdirSync(join(folder, "ini"));
    const env = {
      NODE_OPTIONS: `--no-deprecation --require "${folder}/own.cjs"`,
      PHP_INI_SCAN_DIR: join(folder, "ini"),
      ...{ BUN_OPTIONS: "--silent", HOME: folder },
    };
    const line = `node -p 'process.env.FIRST + " " + process.noDeprecation'; echo "$PHP_INI_SCAN_DIR";
      echo "$BUN_OPTIONS"; head -1 "$WGETRC"`;
    const { stdout } = await sh(line, { env });
    expect(stdout.replaceAll(/\/[^\s:]*\/intercept\//g, "RUN/").split("\n")).toEqual([
      ...["own.cjs true", `${join(folder, "ini")}:RUN/php`, "--silent --preload=RUN/preload.cjs", "tries = 7", ""],
    ]);
    writeFileSync(join(folder, "wgetrc"), "tries = 8");
    const named = await sh('head -1 "$WGETRC"', { env: { HOME: folder, WGETRC: join(folder, "wgetrc") } });
    expect(named.stdout).toBe("tries = 8\n");
  });
});
