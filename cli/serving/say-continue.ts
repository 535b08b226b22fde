import { readdirSync, readFileSync, readlinkSync, writeSync } from "node:fs";

/**
 * Sends `100 Continue` to a client. Bun does it for `Expect: 100-continue`, but not in other letters (oven-sh/bun#30248). Java writes
 * `100-Continue`, and waits for ever. Nothing in Bun can send it, so this finds the connection among the files of this process.
 * @returns false if it is not found, as on any system but Linux
 */
export function sayContinue(clientPort: number, serverPort: number): boolean {
  try {
    const look = () => inodeOf(serverPort, clientPort);
    // The table changes while it is read: on a busy machine an entry can be missing from it, or be there twice.
    const inode = look() ?? look() ?? look();
    if (inode === null) return false;
    const descriptor = readdirSync(FILES).find((name) => targetOf(name) === `socket:[${inode}]`);
    return descriptor !== undefined && writeSync(Number(descriptor), "HTTP/1.1 100 Continue\r\n\r\n") > 0;
  } catch {
    return false;
  }
}

const FILES = "/proc/self/fd";

/** The connection between two ports, in the system's tables; null if there is none, or several: two clients can have the same port. */
function inodeOf(serverPort: number, clientPort: number): string | null {
  const [server, client] = [serverPort, clientPort].map((port) => port.toString(16).toUpperCase().padStart(4, "0"));
  const established = new RegExp(`:${server} [0-9A-F]+:${client} 01 \\S+ \\S+ \\S+ +\\d+ +\\d+ (\\d+) `, "g");
  const tables = ["tcp", "tcp6"].map((name) => readFileSync(`/proc/self/net/${name}`, "latin1")).join("");
  const [inode = null, ...more] = new Set([...tables.matchAll(established)].map(([, found = ""]) => found));
  return more.length === 0 ? inode : null;
}

function targetOf(name: string): string {
  try {
    return readlinkSync(`${FILES}/${name}`);
  } catch {
    return ""; // the list of files has itself in it
  }
}
