import { Refusal } from "../domain/error.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Service } from "../service/service.ts";
import { OPERATIONS, type Operation } from "./operations.ts";
import { parseInput } from "./parse-input.ts";
import type { BasePaths } from "./paths.ts";
import type { Profile } from "./profile.ts";
import { createInputReader } from "./read-input.ts";
import { fail, failWith, noSuchPath, type Reply, refuse, serveDocument } from "./reply.ts";
import { type Api, originOf, readText, targetOf } from "./request.ts";

/** The input of each operation, by its path: the members of its body, or the parameters of its query. */
export const INPUTS: ReadonlyMap<string, readonly string[]> = new Map(
  OPERATIONS.map(({ path, schema }) => [path, Object.keys(schema.shape)]),
);

const OPENAPI_PATH = "/openapi.json";

export interface ApiOptions {
  readonly service: Service;
  readonly basePaths: BasePaths;
  readonly profile: Profile;
  /** The version of this program, for the OpenAPI description. */
  readonly version: string;
  /** Called with bugs; the client gets a fixed text. */
  readonly reportFault: (error: unknown) => void;
}

/**
 * The merchant API. It checks every request in this order: path (404), method (405), credentials (401), content type and body
 * (400). Then the operation runs.
 */
export function createApi({ service, basePaths, profile, version, reportFault }: ApiOptions): Api {
  const operations = new Map<string, Operation>(
    basePaths.flatMap((basePath) => OPERATIONS.map((operation) => [basePath + operation.path, operation] as const)),
  );
  const input = createInputReader(profile);
  const statusReplies = new WeakMap<Transaction, Reply>();
  const [first, ...others] = basePaths;
  const names = OPERATIONS.map(({ method, path }) => `${method} ${first}${path}`).join(", ");
  const elsewhere = others.map((basePath) => `, and the same below ${basePath || "/"}`).join("");

  let described: object | undefined;

  /**
   * The OpenAPI description is outside the base path and needs no credentials. It is loaded on first use: that takes 10 ms, and the
   * first payment of momo exec, which needs no description, would take 82 ms with it.
   */
  async function description(request: Request): Promise<Reply> {
    if (request.method !== "GET") return fail(405, "this path takes GET only", { Allow: "GET" });
    const { describeApi, serversOf } = await import("./openapi.ts");
    // Made once: every client may ask, also without a key.
    described ??= describeApi(profile, version);
    return serveDocument({ ...described, servers: serversOf(basePaths, originOf(request)) });
  }

  const operationOf = (request: Request) => operations.get(targetOf(request).path);

  return {
    async answer(request, exchange, keepOpen = () => {}) {
      try {
        const { path, query } = exchange.target;
        if (path === OPENAPI_PATH) return await description(request);
        const known = operations.get(path);
        if (!known) return noSuchPath(`the operations are ${names}${elsewhere}`);
        if (request.method !== known.method) {
          return fail(405, `this operation takes ${known.method} only`, { Allow: known.method });
        }
        const { headers } = request;
        // Each await costs a turn of the queue: those where there is nothing to wait for would add 10 % to a poll.
        const owner = service.authenticate(headers.get("X-API-Key"), headers.get("X-API-Secret"));
        const merchantId = owner instanceof Promise ? await owner : owner;
        exchange.isAdmitted = true;
        // A list waits until all due payments are resolved, and a long search for others: longer than a connection may be silent.
        if (known.method === "GET") keepOpen(request);
        input.requireHeaders(request, known);
        const text = known.method === "GET" ? query : await readText(request, exchange);
        const sent = input.read(text, request, known, exchange);
        const parsed = parseInput(known.schema, sent, exchange.body);
        const reply = known.carryOut(parsed, merchantId, { service, profile, request, exchange, statusReplies });
        if (reply instanceof Promise) return await reply;
        exchange.isAnsweredAtOnce = !(owner instanceof Promise);
        return reply;
      } catch (error) {
        const own = error instanceof Refusal && operationOf(request)?.refusedBy(profile, error.kind);
        return own ? refuse(error, own.status, own.message) : failWith(error, reportFault);
      }
    },
    called(request) {
      const known = operationOf(request);
      return known?.method === request.method ? known.path : null;
    },
    wouldTake: (request, body) => input.wouldTake(request, body, operationOf(request)),
  };
}
