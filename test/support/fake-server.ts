import { later } from "./cleanup.ts";

/** A server that is not momo: the test decides what it answers. It keeps the requests. */
export interface FakeServer {
  /** With the base path of the payment service. */
  readonly baseUrl: string;
  readonly port: number;
  readonly requests: { readonly url: string; readonly headers: Headers }[];
}

export function serveFake(answer: (request: Request) => Response | Promise<Response>): FakeServer {
  const requests: { url: string; headers: Headers }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: (request) => {
      // A request loses its headers after its answer.
      requests.push({ url: request.url, headers: new Headers(request.headers) });
      return answer(request);
    },
  });
  later(() => server.stop(true));
  const port = server.port ?? 0;
  return { baseUrl: `http://127.0.0.1:${port}/v2`, port, requests };
}

/** Flags that name it, with credentials of no merchant. */
export const flagsOf = ({ baseUrl }: Pick<FakeServer, "baseUrl">): string[] => [
  "--base-url",
  baseUrl,
  "--api-key",
  "mk_nobody",
  "--api-secret",
  "ms_nobody",
];
