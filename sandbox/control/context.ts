import type { z } from "zod";
import type { Clock } from "../../src/domain/clock.ts";
import type { Mutex } from "../../src/domain/mutex.ts";
import type { Random } from "../../src/domain/random.ts";
import type { DescribedCall } from "../../src/http/description.ts";
import type { BasePaths } from "../../src/http/paths.ts";
import type { Profile } from "../../src/http/profile.ts";
import { type Reply, respond } from "../../src/http/reply.ts";
import type { Handler, KeepOpen } from "../../src/http/request.ts";
import type { SavedTransactions, Service } from "../../src/service/service.ts";
import type { AuditReport, RunEnd } from "../audit/audit.ts";
import type { FaultPlan } from "../faults/plan.ts";
import type { Default } from "../network/choice.ts";
import type { VirtualClock } from "../network/clock.ts";
import type { RuleBook } from "../network/rules.ts";
import type { RequestCounts, RequestLog } from "../request-log.ts";
import type { State, StatePart, Steering } from "../steering.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { EventHub } from "./event-hub.ts";
import type { SnapshotOnWire } from "./shapes/steering.ts";
import type { TestPayments } from "./test-payments.ts";
import type { WaitingRoom } from "./waiting-room.ts";

/** The path of the control API, whatever the base path of the merchant API. */
export const CONTROL_PATH = "/_momo";

/** What the calls about merchants, accounts and keys use: a command has it without a server, too. */
export interface RegistryContext {
  readonly service: Pick<Service, "registry">;
  /** For time-outs and heartbeats, which a frozen clock must not stop. */
  readonly realClock: Clock;
}

/** Everything that the calls of the control API use. */
export interface ControlContext extends RegistryContext {
  readonly service: Service;
  readonly clock: VirtualClock;
  /** For seeds that nobody gave. */
  readonly idRandom: Random;
  /** Changes rules, default, faults, clock and webhook. */
  readonly steering: Steering;
  /** This server, if several share one database; else null. */
  readonly replica: Replica | null;
  /** What a reset resets: also what this process keeps about payments. */
  readonly state: State & { readonly rules: RuleBook; readonly default: Default; readonly faults: FaultPlan };
  readonly log: RequestLog;
  readonly requestCounts: RequestCounts;
  readonly testPayments: TestPayments;
  /** The merchant API, for a request that is sent again. */
  readonly merchantApi: Handler;
  readonly audit: { report(end: RunEnd | null): AuditReport; beginChapter(): void; forget(): void };
  readonly webhooks: Webhooks;
  readonly snapshots: Snapshots;
  readonly waitingRoom: WaitingRoom;
  readonly eventHub: EventHub;
  /** Stores the state of the clock for the next start. */
  readonly rememberClock: () => void;
  readonly server: ServerFacts;
  /** Aborted when the server should get no more requests, and when it stops. */
  readonly draining: AbortSignal;
  readonly stopping: AbortSignal;
  readonly version: string;
}

/** The whole state at one instant, without merchants, accounts and keys. */
export interface Snapshot {
  /** As it is shown: its name, and the clock. */
  readonly shown: SnapshotOnWire;
  readonly saved: SavedTransactions;
  /** The parts of the state, as they were saved. */
  readonly parts: readonly (readonly [StatePart, unknown])[];
}

/** The snapshots, in the memory of this process. */
export interface Snapshots {
  readonly byName: Map<string, Snapshot>;
  /** One piece of work at a time, so that they do not disturb each other. */
  readonly mutex: Mutex;
}

export interface Replica {
  readonly name: string;
  /** Whether a reset may remove the payments of all servers. */
  readonly allowsReset: boolean;
}

/** What a call gets, checked with its schemas. */
export interface Input<Q = unknown, B = unknown> {
  readonly request: Request;
  readonly query: Q;
  readonly body: B;
  /** The part of the path that stands for an id; empty if the path has none. */
  readonly id: string;
  readonly keepOpen: KeepOpen;
}

/** @param read throws a Refusal `invalid` */
export type Body<B = unknown> = Required<DescribedCall>["body"] & { read(request: Request): Promise<B> };

/** One method of one path: its schemas, and what carries it out. Its row has the rest. */
export interface Call<C = ControlContext, Q extends z.ZodObject = z.ZodObject, B = unknown> {
  readonly query?: Q;
  readonly body?: Body<B>;
  /** The other content types of its answer. */
  readonly texts?: readonly string[];
  /** Failures whose answer has additional members. */
  readonly failures?: Readonly<Record<number, z.ZodType>>;
  /** The members of its answer with 200, beside `success` and `message`; null if the answer is not JSON. */
  readonly answer: z.ZodObject | z.ZodRawShape | null;
  /** It returns a Response if the answer is not JSON. */
  call(context: C, input: Input<z.output<Q>, B>): Promise<Reply | Response>;
}

/** Calls by their path below `/_momo` and their method; capitals stand for an id, one part of the path. */
export type Calls<C = ControlContext> = Readonly<Record<string, Readonly<Record<string, Call<C>>>>>;

export const call = <C, Q extends z.ZodObject, B>(
  answer: Call["answer"],
  details: Omit<Call<C, Q, B>, "answer" | "call">,
  carryOut: Call<C, Q, B>["call"],
): Call<C> => ({ answer, ...details, call: carryOut }) as Call<C>;

/** How a server was started: the part that clients and commands need. */
export interface ServerFacts {
  /** Of this start of the server: no other start has it. */
  readonly id: string;
  /** What momo's own requests to the merchant API have in a header: they are no client's. It is not shown. */
  readonly ownSecret: string;
  readonly basePaths: BasePaths;
  readonly profile: Profile;
  /** How long a prompt waits for the customer. */
  readonly promptTimeoutMs: number;
  /** The text that identifiers and drawn faults come from; null: they are random. */
  readonly seed: string | null;
  /** The port of the merchant API; null if the control API has the same. */
  readonly merchantPort: () => number | null;
  /** The data directory; null if there is none. */
  readonly data: string | null;
  /** A name that distinguishes this sandbox from others; null by default. */
  readonly name: string | null;
  /** The key that comes with the data directory, and its payment account. */
  readonly credentials: {
    readonly payment_account_id: number;
    readonly api_key: string;
    readonly api_secret: string;
  } | null;
}

/** The name of the server, for answers that only one of several servers can give. */
export const ownedBy = (replica: Replica | null): { replica?: string } =>
  replica === null ? {} : { replica: replica.name };

/** The same for answers that are not JSON. */
export const replicaHeader = (replica: Replica | null): Record<string, string> =>
  replica === null ? {} : { "X-Momo-Replica": replica.name };

/** An answer that is not JSON. */
export function textReply(
  content: string | ReadableStream<Uint8Array>,
  type: string,
  headers: Record<string, string> = {},
): Response {
  const all = new Headers({ "Content-Type": type, "Cache-Control": "no-store", ...headers });
  if (typeof content === "string") return respond({ status: 200, text: content, headers: all });
  return new Response(content, { headers: all });
}
