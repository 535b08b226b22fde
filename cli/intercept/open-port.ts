import type { Server, Socket } from "node:net";
import { Failure } from "../terminal/failure.ts";

export interface OpenPort {
  readonly port: number;
  /** Ends every connection, too. */
  close(): Promise<void>;
}

/**
 * Listens on any free port of this machine.
 * @throws Failure where there is none
 */
export async function openPort(server: Server): Promise<OpenPort> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => open.delete(socket));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error: NodeJS.ErrnoException) =>
    reject(new Failure("unexpected", `no port of 127.0.0.1 can be listened on (${error.code ?? error.message})`)),
  );
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      for (const socket of open) socket.destroy();
      return closed.promise;
    },
  };
}
