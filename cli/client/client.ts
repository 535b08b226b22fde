import { CONTROL_PATH } from "../../sandbox/control/context.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import type { Io } from "../io.ts";
import { version } from "../version.ts";
import {
  type Answer,
  type Api,
  bearer,
  CHECK_ADDRESS,
  openStream,
  READS,
  request,
  type SendOptions,
} from "./request.ts";
import {
  type ControlFlags,
  type ControlTarget,
  knownControl,
  resolveControl,
  type Target,
  type TargetFlags,
} from "./target.ts";

/** The clients of the two APIs. */

/** Sends requests to one API. Each resolves to the answer of a request that succeeded, and rejects with a Failure. */
export interface Client {
  get(path: string, query: Record<string, string>, options?: SendOptions): Promise<Answer>;
  readonly post: SendBody;
  readonly put: SendBody;
  delete(path: string, options?: SendOptions): Promise<Answer>;
}

type SendBody = (path: string, body: object, options?: SendOptions) => Promise<Answer>;

/** The merchant API, with the target's key. */
export function merchantClient({ baseUrl, apiKey, apiSecret, keyHint = ANOTHER_KEY, server }: Target): Client {
  return createClient({
    address: baseUrl,
    server,
    credentials: { "X-API-Key": apiKey, "X-API-Secret": apiSecret, "User-Agent": `momo/${version}` },
    hints: { unauthorized: keyHint, not_found: CHECK_ADDRESS },
    hintOfAddress: CHECK_ADDRESS,
  });
}

const ANOTHER_KEY = "give those of a key in force";

/** The control API, with its token if it has one. @param usual of every request, unless it says otherwise */
export const controlClient = (target: ControlTarget, usual?: SendOptions): Client =>
  createClient(controlApi(target), usual);

/** That of the server that the flags, the environment or the data directory name. */
export const controlOf = (io: Io, flags: ControlFlags, usual?: SendOptions): Client =>
  controlClient(resolveControl(io, flags), usual);

const controlApi = ({ controlUrl, controlToken, server, handler }: ControlTarget): Api => ({
  address: controlUrl,
  server,
  credentials: bearer(controlToken),
  hints: { unauthorized: "give the token that momo serve shows at its start in MOMO_CONTROL_TOKEN" },
  hintOfAddress: `check MOMO_CONTROL_URL, the address of the control API: it ends with ${CONTROL_PATH}`,
  handler,
});

/**
 * The control API's stream of events, open until one side closes it.
 * @param lastId the id of the last event that was read; null begins with the next one
 * @param signal ends the request and the stream
 */
export const openEvents = (target: ControlTarget, lastId: string | null = null, signal?: AbortSignal) =>
  openStream(controlApi(target), "/events", lastId === null ? {} : { "Last-Event-ID": lastId }, signal);

function createClient(api: Api, usual: SendOptions = {}): Client {
  const json = { "Content-Type": "application/json" };
  const sendBody =
    (method: string): SendBody =>
    (path, body, options = {}) =>
      request(api, path, { method, headers: json, body: JSON.stringify(body) }, { ...usual, ...options });
  return {
    post: sendBody("POST"),
    put: sendBody("PUT"),
    get(path: string, query: Record<string, string>, options: SendOptions = {}) {
      const parameters = new URLSearchParams(query).toString();
      return request(api, path + (parameters && `?${parameters}`), {}, { ...usual, ...options, ...READS });
    },
    delete: (path: string, options: SendOptions = {}) =>
      request(api, path, { method: "DELETE" }, { ...usual, ifLost: "repeat", ...options }),
  };
}

/** For a read about one payment. */
export const ABOUT_PAYMENT: SendOptions = { ...READS, hints: { not_found: "momo list shows the payments" } };

/** A short time-out, because this is optional. */
const OPTIONAL: SendOptions = { timeoutMs: 1500 };

/** Reads a path of the control API; null if it does not answer. */
export type OptionalControl = (path: string) => Promise<Answer | null>;

/**
 * Reads from the control API what the merchant API does not have: the sandbox's time, references, the lifetime of a prompt.
 * Without it, commands show less. Only a known sandbox is queried, because a real service has no control API.
 */
export function openOptionalControl(io: Io, flags: TargetFlags): OptionalControl {
  // The command's own request reports what is wrong with the address.
  const control = readOrNull(() => knownControl(io, flags));
  const client = control && controlClient(control);
  return async (path) => (await client?.get(path, {}, OPTIONAL).catch(() => null)) ?? null;
}

/** The time of the sandbox if it is known, otherwise of this machine. */
export function timeIn(clock: Answer | null, machineNowMs: number) {
  const nowMs = clock?.now_ms;
  return { nowMs: typeof nowMs === "number" ? nowMs : machineNowMs, isFrozen: clock?.frozen === true };
}
