import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A connection to a server on this machine that can be cut and mended. */
export interface Cable {
  readonly port: number;
  /** Ends all connections, and refuses new ones. */
  cut(): void;
  mend(): void;
  close(): void;
}

/** @param server the port where it listens, or the path of its socket */
export async function layCable(server: number | string): Promise<Cable> {
  const open = new Set<Socket>();
  let isCut = false;
  const listener = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = typeof server === "string" ? connect(server) : connect(server, "127.0.0.1");
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  return {
    port: (listener.address() as { port: number }).port,
    cut,
    mend() {
      isCut = false;
    },
    close() {
      cut();
      listener.close();
    },
  };
}
