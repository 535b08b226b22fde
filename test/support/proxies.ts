import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { makeCertificates } from "../../cli/intercept/certificate.ts";
import { systemClock, systemRandom } from "../../src/system.ts";
import { startChild } from "./child.ts";
import { later, newFolder } from "./cleanup.ts";
import { startForwarder } from "./connection.ts";
import { type Served, serveMomo } from "./momo.ts";
import { findProgram, PLACES } from "./needs.ts";
import { until } from "./waiting.ts";

/** Real proxies in front of momo. Each listens on a socket in a new folder, so that no port needs to be free. */

export const TOKEN = "a-token-of-the-tests";

/** A server whose control API needs {@link TOKEN}. */
export function serveWithToken(): Promise<Served> {
  const file = join(newFolder(), "token");
  writeFileSync(file, TOKEN, { mode: 0o600 });
  return serveMomo(["--control-token-file", file]);
}

export interface RunningProxy {
  /** Where it is reached: `127.0.0.1` and a port. */
  readonly address: string;
}

/**
 * @param server what stands in the block of the server, such as `location / { … }`
 * @param listen what stands after the address, such as `ssl`
 */
export function startNginx(server: string, listen = ""): Promise<RunningProxy> {
  return start((folder, socket) => {
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const config = `
      daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
      events {}
      http {
        access_log off;
        ${places.map((place) => `${place}_temp_path ${folder}/${place};`).join(" ")}
        server { listen unix:${socket} ${listen}; ${server} }
      }`;
    return ["nginx", "-p", folder, "-e", "stderr", "-c", write(folder, config)];
  });
}

/** @param rest what stands after the address of the frontend, and the other sections */
export function startHaproxy(rest: string): Promise<RunningProxy> {
  return start((folder, socket) => {
    const config = `
defaults
  mode http
  timeout client 30s
  timeout server 30s
  timeout connect 5s
frontend shop
  bind unix@${socket}
${rest}
`;
    return ["haproxy", "-db", "-q", "-f", write(folder, config)];
  });
}

/** The files of a certificate for `momo.example`, which no client knows. */
export function makeCertificate(): { certificate: string; key: string } {
  const folder = newFolder();
  const made = makeCertificates(["momo.example"], systemClock, systemRandom);
  const files = { certificate: join(folder, "certificate.pem"), key: join(folder, "key.pem") };
  for (const name of ["certificate", "key"] as const) writeFileSync(files[name], made[name]);
  return files;
}

function write(folder: string, config: string): string {
  const file = join(folder, "proxy.conf");
  writeFileSync(file, config);
  return file;
}

async function start(prepare: (folder: string, socket: string) => string[]): Promise<RunningProxy> {
  const folder = newFolder();
  const socket = join(folder, "socket");
  const [program = "", ...args] = prepare(folder, socket);
  const child = startChild([findProgram(program) ?? program, ...args], { env: { PATH: PLACES }, cwd: folder });
  later(async () => {
    child.signal("SIGKILL");
    await child.exited;
  });
  const ended = child.exited.then(() => {
    throw new Error(`${program} has ended: ${child.stderr.text}${child.stdout.text}`);
  });
  ended.catch(() => {}); // it ends after the tests as well
  await Promise.race([ended, until(() => answers(socket))]);
  const forwarder = await startForwarder(socket);
  later(() => forwarder.close());
  return { address: `127.0.0.1:${forwarder.port}` };
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
