/**
 * The refusals a caller can do something about. Everything else that goes wrong is a bug: an assertion, answered with a fixed
 * 500 and told to the log.
 *
 * - `invalid`: what was sent cannot be right (spec §7, 400)
 * - `unauthorized`: the credentials are not valid (§5, 401)
 * - `not_found`: no such thing, or it is somebody else's (§7, 404)
 * - `conflict`: it has happened already and cannot happen again (409; only the sandbox's own surface says so)
 * - `stopping`: the server ends before it could be done (503)
 * - `provider`: the mobile-money network would not take the prompt (§4.1, 500)
 */
export type RefusalKind = "invalid" | "unauthorized" | "not_found" | "conflict" | "stopping" | "provider";

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
