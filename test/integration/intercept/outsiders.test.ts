import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { cleanUp, later } from "../../support/cleanup.ts";
import { startMomo } from "../../support/momo.ts";
import { OTHER_UID, testWithOtherUser } from "../../support/needs.ts";
import { until } from "../../support/waiting.ts";
import { KEY, PUSH, SECRET, sh } from "./sources.ts";

afterAll(cleanUp);

/** A run that stays open, with the variables of its command, and what an outsider gets. */
async function openRun(asUser: readonly string[] = []) {
  const script = "env; echo ready; exec sleep 60";
  const child = startMomo(["exec", "--intercept", "payflow.example", "--", "sh", "-c", script]);
  later(() => {
    child.signal("SIGTERM");
    return child.exited;
  });
  const [environment] = await child.stdout.until(/[\s\S]*^ready$/m);
  const variable = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(environment)?.[1] ?? "";
  const proxy = `http://${variable("HTTPS_PROXY").split("@")[1]}`;
  const outsider = (...words: string[]) => {
    const { stdout, exitCode } = Bun.spawnSync([...asUser, ...words], {
      cwd: "/",
      env: { PATH: process.env.PATH ?? "" },
    });
    return { stdout: stdout.toString(), hasAnswer: exitCode === 0 };
  };
  const push = `${PUSH} ${KEY} ${SECRET}`;
  const tryToPush = (more: string) => outsider("sh", "-c", `${push} -m 20 ${more}`);
  return { pid: child.pid, variable, proxy, outsider, tryToPush };
}

const AS_OTHER = ["setpriv", `--reuid=${OTHER_UID}`, "--clear-groups"];

describe("only the command's process tree gets in", () => {
  test.concurrent("not by the proxy without its password, nor with an invented one", async () => {
    const { variable, proxy, tryToPush, outsider } = await openRun();
    for (const more of [`-kx ${proxy}`, `-kx ${proxy.replace("://", "://momo:guess@")}`]) {
      expect(tryToPush(more)).toEqual({ stdout: "", hasAnswer: false });
    }
    expect(tryToPush(`-kx ${variable("HTTPS_PROXY")}`).stdout).toStartWith('{"success":true');
    const status = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_connect}"];
    for (const other of ["https://other.example/", "https://other.example:8443/", "https://payflow.example:8443/"]) {
      expect(outsider(...status, "-x", proxy, other).stdout).toBe("407");
    }
    // A page whose name was bound to this machine: a browser sends plain requests, with the name of the page.
    const page = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H"];
    expect(outsider(...page, "Host: payflow.example", `${proxy}/api/v2/transactions.php`).stdout).toBe("407");
    expect(outsider(...page, "Host: page.example", `${proxy}/`).stdout).toBe("407");
    // The password of the proxy is not in the log, not even as a header without its value.
    const target = "https://payflow.example/api/v2/transactions.php";
    const pass = `Proxy-Authorization: Basic ${btoa(decodeURIComponent(variable("HTTPS_PROXY").split(/\/\/|@/)[1] ?? ""))}`;
    const sent = ["curl", "-s", "--request-target", target, "-H", "Host: payflow.example", "-H", pass, `${proxy}/`];
    expect(outsider(...sent).stdout).toContain("X-API-Key");
    const log = await (await fetch(`${variable("MOMO_CONTROL_URL")}/requests`)).json();
    const { requests } = log as { requests: { target: string; headers: object }[] };
    expect(requests.at(-1)).toMatchObject({ target: "/api/v2/transactions.php", headers: { host: "payflow.example" } });
    expect(requests.at(-1)?.headers).not.toHaveProperty("proxy-authorization");
  });

  test.concurrent("nor do 600 connections without the password stay open, or keep the command's own out", async () => {
    const { variable, proxy, tryToPush } = await openRun();
    const open = new Set<Socket>();
    for (let turn = 0; turn < 600; turn += 1) {
      const socket = connect(Number(new URL(proxy).port), "127.0.0.1");
      open.add(socket);
      socket
        .on("error", () => {})
        .once("close", () => open.delete(socket))
        .resume();
      socket.write(["CONNECT payflow.example:443 HTTP/1.1\r\nHost: x\r\n\r\n", "GET ", ""][turn % 3] ?? "");
    }
    await until(() => open.size <= 500);
    expect(tryToPush(`-kx ${variable("HTTPS_PROXY")}`).stdout).toStartWith('{"success":true');
    await until(() => open.size === 0);
  });

  test.concurrent("not a request for another host, inside TLS", async () => {
    const { stdout } = await sh(
      `for host in page.example 127.0.0.1 payflow.example:443 PAYFLOW.example.; do
         curl -s -o /dev/null -w '%{http_code} ' -H "Host: $host" https://payflow.example/; done`,
    );
    expect(stdout).toBe("421 421 404 404 ");
  });

  testWithOtherUser("not another user, by any port that momo listens on, or by its socket", async () => {
    const { pid, variable, proxy, tryToPush, outsider } = await openRun(AS_OTHER);
    expect(outsider("id", "-u").stdout).toBe(`${OTHER_UID}\n`);
    const ports = listeningPorts(pid);
    expect(ports.toSorted()).toEqual([new URL(variable("MOMO_BASE_URL")).port, new URL(proxy).port].toSorted());
    for (const port of ports) {
      expect(tryToPush(`-kx http://127.0.0.1:${port}`).hasAnswer).toBe(false);
      const answer = tryToPush(`-k --connect-to payflow.example:443:127.0.0.1:${port}`);
      expect(answer).toEqual({ stdout: "", hasAnswer: false });
    }
    const socket = join(variable("MOMO_DATA"), "intercept/tls");
    expect(statSync(socket).isSocket()).toBe(true);
    expect(tryToPush(`-k --unix-socket ${socket}`)).toEqual({ stdout: "", hasAnswer: false });
    // It is the password that keeps it out.
    expect(tryToPush(`-kx ${variable("HTTPS_PROXY")}`).stdout).toStartWith('{"success":true');
    expect(outsider("cat", variable("SSL_CERT_FILE")).hasAnswer).toBe(false);
  });
});

/** The ports that a process listens on, from the system's tables. */
function listeningPorts(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const open = new Set(readdirSync(folder).map((name) => readlinkSync(join(folder, name))));
  const lines = ["tcp", "tcp6"].flatMap((name) =>
    readFileSync(`/proc/net/${name}`, "utf8").trim().split("\n").slice(1),
  );
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words[3] === "0A" && open.has(`socket:[${words[9]}]`))
    .map((words) => String(Number.parseInt(words[1]?.split(":")[1] ?? "", 16)));
}
