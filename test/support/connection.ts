import { Transcript } from "./child.ts";
import { later } from "./cleanup.ts";

/** A connection on which a test sends what no HTTP client would. */
export interface Connection {
  write(text: string): void;
  /** Cuts the connection. */
  end(): void;
  readonly received: Transcript;
  /** Resolves when the server has closed it. */
  readonly closed: Promise<void>;
}

/** @throws an error if nothing listens there */
export async function connectTo(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const received = new Transcript();
  const closed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_socket, data) => received.add(data.toString()),
      close: () => {
        received.end();
        closed.resolve();
      },
    },
  });
  later(() => socket.terminate());
  return {
    write: (text) => void socket.write(text),
    end: () => socket.terminate(),
    received,
    closed: closed.promise,
  };
}
