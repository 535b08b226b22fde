import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A way to a server on this machine that can be cut and mended. */
export interface Cable {
  readonly port: number;
  /** Ends what is under way, and lets nothing through from now on. */
  cut(): void;
  mend(): void;
  close(): void;
}

/** @param port where the server listens */
export async function layCable(port: number): Promise<Cable> {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(port, "127.0.0.1");
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
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut,
    mend() {
      isCut = false;
    },
    close() {
      cut();
      server.close();
    },
  };
}
