import { readdirSync, readFileSync, readlinkSync, writeSync } from "node:fs";

/**
 * Sends `100 Continue` to a client. Bun does it for `Expect: 100-continue`, but not in other letters (oven-sh/bun#30248). Java writes
 * `100-Continue`, and waits for ever. Nothing in Bun can send it, so this finds the connection among the files of this process.
 * @returns false if it is not found, as on any system but Linux
 */
export function sayContinue(clientPort: number, serverPort: number): boolean {
  try {
    const [inode, ...more] = ["tcp", "tcp6"].flatMap((table) => inodesOf(table, serverPort, clientPort));
    // Two clients can have the same port.
    if (inode === undefined || more.length > 0) return false;
    const descriptor = readdirSync(FILES).find((name) => targetOf(name) === `socket:[${inode}]`);
    return descriptor !== undefined && writeSync(Number(descriptor), "HTTP/1.1 100 Continue\r\n\r\n") > 0;
  } catch {
    return false;
  }
}

const FILES = "/proc/self/fd";

/** The connections between two ports, in the system's table. */
function inodesOf(table: string, serverPort: number, clientPort: number): string[] {
  const [server, client] = [serverPort, clientPort].map((port) => port.toString(16).toUpperCase().padStart(4, "0"));
  const established = new RegExp(`:${server} [0-9A-F]+:${client} 01 \\S+ \\S+ \\S+ +\\d+ +\\d+ (\\d+) `, "g");
  return [...readFileSync(`/proc/self/net/${table}`, "latin1").matchAll(established)].map(([, inode = ""]) => inode);
}

function targetOf(name: string): string {
  try {
    return readlinkSync(`${FILES}/${name}`);
  } catch {
    return ""; // the list of files has itself in it
  }
}
