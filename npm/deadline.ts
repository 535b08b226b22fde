import { Socket } from "node:net";

/**
 * Calls a function after a time, unless it is cancelled before. The time-out of a socket cannot be faked by a test; a timer can.
 * @returns a function that cancels it
 */
export function callAfter(ms: number, late: () => void): () => void {
  const socket = new Socket();
  socket.setTimeout(ms, late);
  return () => void socket.destroy();
}
