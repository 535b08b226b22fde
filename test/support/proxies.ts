import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { startChild } from "./child.ts";
import { later, newFolder } from "./cleanup.ts";
import { startForwarder } from "./connection.ts";
import { findProgram, PLACES } from "./needs.ts";
import { until } from "./waiting.ts";

/** Real proxies in front of momo. Each listens on a socket in a new folder, so that no port needs to be free. */

export interface RunningProxy {
  /** Where it is reached: `127.0.0.1` and a port. */
  readonly address: string;
}

/** @param rest what stands after the address of the frontend, and the other sections */
export function startHaproxy(rest: string): Promise<RunningProxy> {
  return startProxy((folder, socket) => {
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
    return ["haproxy", "-db", "-q", "-f", writeConfiguration(folder, config)];
  });
}

/** Writes its configuration into a file. */
export function writeConfiguration(folder: string, config: string): string {
  const file = join(folder, "proxy.conf");
  writeFileSync(file, config);
  return file;
}

/** Starts a proxy that listens on a socket. @param prepare makes its command */
export async function startProxy(prepare: (folder: string, socket: string) => string[]): Promise<RunningProxy> {
  const folder = newFolder();
  const socket = join(folder, "socket");
  const [program = "", ...args] = prepare(folder, socket);
  const child = startChild([findProgram(program) ?? program, ...args], { env: { PATH: PLACES }, cwd: folder });
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
