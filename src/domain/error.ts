/** `conflict`: it has happened already, and cannot happen again. `unavailable`: another server is not there. */
export type RefusalKind =
  | "invalid"
  | "unauthorized"
  | "not_found"
  | "conflict"
  | "stopping"
  | "unavailable"
  | "provider";

/** A refusal whose message may be shown to the caller as it is: it names what is wrong and what would be right. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super(message);
  }
}

export const invalid = (message: string): Refusal => new Refusal("invalid", message);
