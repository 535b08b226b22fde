import type { Server, Socket } from "node:net";
import { Failure } from "../terminal/failure.ts";

export interface OpenPort {
  /** 0 for a socket with a path. */
  readonly port: number;
  /** Ends every connection, too. */
  close(): Promise<void>;
}

/**
 * Listens on any free port of this machine, or on a socket at a path.
 * @throws Failure with the reason if that fails
 */
export async function listenAt(server: Server, path?: string): Promise<OpenPort> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => open.delete(socket));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error: NodeJS.ErrnoException) => {
    const where = path === undefined ? "no port of 127.0.0.1 can be listened on" : `there can be no socket at ${path}`;
    reject(new Failure("unexpected", `${where} (${error.code ?? error.message})`));
  });
  if (path === undefined) server.listen(0, "127.0.0.1", resolve);
  else server.listen(path, resolve);
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
