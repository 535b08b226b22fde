/** `account`: it is not the merchant's. `conflict`: it has happened already, and cannot happen again. `unavailable`: another server cannot be reached. */
export type RefusalKind =
  | "invalid"
  | "account"
  | "unauthorized"
  | "not_found"
  | "conflict"
  | "stopping"
  | "unavailable"
  | "provider";

/** A refusal. Its message is sent to the client unchanged, and says what is wrong and what would be right. */
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
