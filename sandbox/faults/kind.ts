import type { z } from "zod";
import type { Reply } from "../../src/http/reply.ts";
import type * as values from "../control/shapes/values.ts";

/** What a file of this folder says about its kind of fault. `kinds.ts` lists them; all else that depends on a kind takes it from there. */
export interface FaultKind<Shape extends z.core.$ZodLooseShape, Kept> {
  /** What it is, in a few words: a choice of the page, and the help of the command. */
  readonly words: string;
  /**
   * The members that only this kind has, each with its description. zod is an argument, because the page, and each server at its start,
   * load this file too.
   */
  members(schemas: Schemas): Shape;
  /** The members that a fault of this kind must have. */
  readonly needs?: readonly (keyof Shape & string)[];
  /** The values that other members have if they are left out. */
  readonly usual?: Members<Shape>;
  /** Refuses members that do not fit each other. */
  check?(fault: Members<Shape>, refuse: (member: keyof Shape & string, rule: string) => void): void;
  /** The members that the page offers. */
  readonly fields?: { readonly [Name in keyof Shape]?: Field };
  /** What a fault does, in a few words. */
  inWords(fault: Members<Shape>): string;
  /** Whether it carries the operation out later: until then, the audit knows that the request is there. */
  readonly delays?: true;
  /**
   * For a kind that counts requests.
   * @param kept what it has kept of the request before; null for the first one
   * @returns what it keeps of this one, and whether it strikes it
   */
  count?(fault: Members<Shape>, kept: Kept | null, request: CountedRequest): Counted<Kept>;
  /** Makes the answer to a request, with or without that of the operation. */
  strike(fault: Members<Shape>, exchange: Exchange<Kept>): Promise<Struck>;
}

// biome-ignore lint/suspicious/noExplicitAny: kinds have different members
export type AnyFaultKind = FaultKind<any, any>;

/**
 * What members are made of: schemas that several shapes share, and the part of zod whose values can be typed at the command. With the
 * whole, each start would load all of it.
 */
export type Schemas = typeof values & {
  readonly z: Pick<typeof z, "boolean" | "enum" | "int" | "preprocess" | "record" | "string" | "url">;
};

/** A fault of any kind can lack each member. */
export type Members<Shape extends z.core.$ZodLooseShape> = {
  readonly [Name in keyof Shape]?: z.output<Shape[Name]> | undefined;
};

/** A field of the page's form for a member. */
export interface Field {
  readonly label: string;
  readonly type: "number" | "text";
  /** What the field has at first; also the example of the command. */
  readonly first: string;
  /** What the empty field shows. */
  readonly placeholder: string;
}

export interface CountedRequest {
  /** The path of its operation. */
  readonly operation: string;
  /** When it came, in real time. */
  readonly atMs: number;
  readonly headers: Headers;
}

export interface Counted<Kept> {
  /** Plain JSON: servers that share a database share it. */
  readonly kept: Kept;
  readonly strikes: boolean;
}

/** A request that a fault strikes. */
export interface Exchange<Kept = unknown> extends CountedRequest {
  /** What `count` has returned. */
  readonly kept: Kept;
  /** Carries the operation out. */
  carryOut(): Promise<Reply>;
  /** An error in momo's JSON. */
  fail(status: number, message: string, headers?: Record<string, string>): Reply;
  /** Waits in real time. @returns false if the server stops before */
  wait(durationMs: number): Promise<boolean>;
}

/** What the client gets. */
export interface Struck extends Pick<Reply, "status" | "text" | "headers"> {
  /** Whether a text that differs from the operation's own still tells the client all of it, so that the audit takes it as told. */
  readonly tellsAll?: true;
  /** Whether the client gets no answer: the log has its text, but no status. */
  readonly isLost?: true;
  /** How it is sent, if not at once and as it is. */
  readonly response?: Response;
}

/** A kind of fault, whose members have the types of their schemas. */
export const faultKind = <Shape extends z.core.$ZodLooseShape, Kept = undefined>(
  kind: FaultKind<Shape, Kept>,
): FaultKind<Shape, Kept> => kind;
