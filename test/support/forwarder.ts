import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Forwards connections to a server on this machine, and can interrupt them. */
export interface Forwarder {
  readonly port: number;
  /** Ends all connections, and refuses new ones until `mend()`. */
  cut(): void;
  mend(): void;
  /** New connections lead to the server at this port; those that are open stay. */
  redirect(port: number): void;
  close(): void;
}

/** @param server the port of the server, or the path of its socket */
export async function startForwarder(server: number | string): Promise<Forwarder> {
  const open = new Set<Socket>();
  let [target, isCut] = [server, false];
  const listener = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = typeof target === "string" ? connect(target) : connect(target, "127.0.0.1");
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
    redirect(port) {
      target = port;
    },
    close() {
      cut();
      listener.close();
    },
  };
}
