/** Whether a server could listen on a port of this machine. */
export function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
