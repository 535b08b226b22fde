import type { ListedRow } from "../../../src/domain/filters.ts";
import type { AnsweredRequest, Members } from "../../request-log.ts";
import type { Instant, Mention, Payment, Poller, Push, Sighting } from "./payment.ts";

/** What a request calls: one of the three operations, one of their paths with another method, or another path. */
export type Operation = "push" | "status" | "list" | "method" | "path";

/** A path of the service below one of its base paths. */
export interface Route {
  readonly operation: "push" | "status" | "list";
  readonly method: string;
  readonly base: string;
  /** Below the base path. */
  readonly path: string;
}

/** A request of the client and its answer. */
export class ClientRequest {
  readonly operation: Operation;
  /** The place of its arrival in the order of all events. */
  readonly arrived: number;
  /** When it arrived, by the sandbox's clock. */
  readonly atMs: number;
  readonly arrivedRealMs: number;
  /** The client got the operation's own answer. */
  readonly isDelivered: boolean;
  /** What the operation answered, also if the client got another answer, or none. */
  readonly own: Members;
  /** What it is about, filled in by the facts. */
  payment: Payment | null = null;
  push: Push | null = null;
  poller: Poller | null = null;
  /** No program has asked for the status of its payment before. */
  isFirstPoll = false;
  /** The list that showed its payment for another one, before it. */
  sighting: Sighting | null = null;
  mention: Mention | null = null;

  constructor(
    readonly call: AnsweredRequest,
    readonly answered: Instant,
    /** Of the path; null if the service has none. */
    readonly route: Route | null,
    /** The base path that the client used, or the default. */
    readonly base: string,
    readonly path: string,
    /** The raw query. */
    readonly query: string,
    /** What the operation accepts: the members of its body, or the parameters of its query. */
    readonly inputs: readonly string[] | undefined,
  ) {
    this.operation = route === null ? "path" : route.method === call.method ? route.operation : "method";
    this.arrived = call.arrived;
    this.atMs = call.atMs;
    this.arrivedRealMs = answered.realMs - call.durationMs;
    this.isDelivered = call.isDelivered && !call.isInjected;
    this.own = call.hidden ?? call.said;
  }

  /** The path below the base path; empty if the service has none. */
  get below(): string {
    return this.route?.path ?? "";
  }

  /** Whether the service refused it because of the client. */
  get isRefused(): boolean {
    const { status, isInjected } = this.call;
    return status !== null && status >= 400 && status < 500 && !isInjected;
  }

  /** Whether the operation was carried out, and said so. */
  get isAccepted(): boolean {
    const { status, hidden } = this.call;
    return this.own.success === true && (hidden !== null || status === 200 || status === null);
  }

  /** A string of the operation's answer. */
  text(member: string): string | null {
    const value = this.own[member];
    return typeof value === "string" ? value : null;
  }

  /** The id that a request for a status has; an empty text if it has none. */
  get sentId(): string {
    const id = this.call.members?.checkout_request_id;
    return typeof id === "object" || id === undefined ? "" : String(id);
  }
}

/** The transactions in the answer of a list, in both forms. */
export function rowsIn({ own, call }: ClientRequest): readonly ListedRow[] {
  const rows: unknown = own.transactions ?? own.data;
  const isList = (call.status === 200 || call.hidden !== null || call.status === null) && Array.isArray(rows);
  return isList ? rows.filter((row) => typeof row === "object" && row !== null) : [];
}
