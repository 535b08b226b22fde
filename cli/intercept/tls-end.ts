import { createServer as createHttpServer, type RequestListener } from "node:http";
import type { Server, Socket } from "node:net";
import { createServer, type TLSSocket, type TlsOptions } from "node:tls";
import type { Certificates } from "./certificate.ts";
import { listenAt } from "./open-port.ts";

export interface TlsEndOptions {
  readonly certificates: Certificates;
  /** Where programs with our preload connect: a socket in the private folder of the run, or a named pipe. */
  readonly path: string;
  readonly answer: RequestListener;
  /** Called for each connection that ends before a request: the client does not trust the certificate. */
  readonly onDistrust: () => void;
}

/** Ends TLS for the named hosts. The decrypted requests are answered in this process: nothing listens behind it. */
export async function openTlsEnd({ certificates, path, answer, onDistrust }: TlsEndOptions) {
  const { authority, key } = certificates;
  const http = createHttpServer(answer);
  const tlsServer = (cert: string, more: TlsOptions = {}) =>
    createServer({ cert, key, ALPNProtocols: ["http/1.1"], ...more }).on("secureConnection", (inner: TLSSocket) => {
      // A Node client checks the certificate only after the handshake.
      inner.once("close", () => {
        if (inner.bytesRead === 0) onDistrust();
      });
      http.emit("connection", inner);
    });
  const server = tlsServer(certificates.certificate).on("tlsClientError", onDistrust);
  const dotted = tlsServer(certificates.dotted).on("tlsClientError", onDistrust);
  const guard = { ca: authority, requestCert: true, rejectUnauthorized: true };
  const guarded = tlsServer(certificates.certificate, guard);
  const { close } = await listenAt(server as Server, path);
  return {
    close,
    /** For a connection whose client has shown the password of the run. */
    accept: (socket: Socket, host: string) => (host.endsWith(".") ? dotted : server).emit("connection", socket),
    /** For one that has not: only a client with the certificate of the run gets past the handshake. */
    acceptGuarded: (socket: Socket) => guarded.emit("connection", socket),
  };
}
