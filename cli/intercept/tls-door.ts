import { connect, type Server, type Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { Certificates } from "./certificate.ts";
import { openPort } from "./open-port.ts";

export interface DoorOptions {
  readonly certificates: Certificates;
  /** The port that serves the decrypted requests. */
  readonly servedAt: number;
  /** Called for each connection that ends before a request: the client does not trust the certificate. */
  readonly onDistrust: () => void;
}

/** Ends TLS for the named hosts, and forwards the decrypted bytes to the sandbox. */
export function openTlsDoor({ certificates, servedAt, onDistrust }: DoorOptions) {
  const server = createServer({
    cert: certificates.certificate,
    key: certificates.key,
    ALPNProtocols: ["http/1.1"],
  });
  server.on("secureConnection", (inner: TLSSocket) => {
    // A Node client checks the certificate only after the handshake.
    inner.once("close", () => {
      if (inner.bytesRead === 0) onDistrust();
    });
    join(inner, connect(servedAt, "127.0.0.1"));
  });
  server.on("tlsClientError", onDistrust);
  return openPort(server as Server);
}

/** Forwards bytes both ways, as fast as the receiver reads them. Both connections end together. */
export function join(one: Socket, other: Socket): void {
  if (one.destroyed || other.destroyed) {
    one.destroy();
    other.destroy();
    return;
  }
  one.pipe(other);
  other.pipe(one);
  for (const [socket, peer] of [
    [one, other],
    [other, one],
  ] as const) {
    socket.on("error", () => peer.destroy());
    socket.on("close", () => peer.destroy());
  }
}
