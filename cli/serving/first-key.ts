import { API_KEY_FORM, API_SECRET_FORM, type Credentials } from "../../src/domain/credentials.ts";
import { momoEnvironment } from "../environment.ts";
import { Failure } from "../terminal/failure.ts";
import { wrongValue } from "../terminal/usage.ts";

/**
 * The key that the environment gives to a data directory without one, so that a container's clients know it beforehand.
 * @throws Failure `usage` that names the variable
 */
export function firstKeyOfEnvironment(): Credentials | null {
  const { apiKey, apiSecret } = momoEnvironment();
  if (apiKey === undefined && apiSecret === undefined) return null;
  if (apiKey === undefined) throw missing("MOMO_API_KEY", "MOMO_API_SECRET");
  if (apiSecret === undefined) throw missing("MOMO_API_SECRET", "MOMO_API_KEY");
  if (!API_KEY_FORM.test(apiKey)) {
    throw new Failure("usage", wrongValue("MOMO_API_KEY", "must be mk_ and 16 to 64 letters and digits", apiKey), HINT);
  }
  // The value may be a secret, so it is not shown.
  if (!API_SECRET_FORM.test(apiSecret)) {
    throw new Failure("usage", "MOMO_API_SECRET must be ms_ and 32 to 128 letters and digits", HINT);
  }
  return { apiKey, apiSecret };
}

const HINT = "the first key of a data directory is taken from the environment: unset both variables for a new one";

const missing = (name: string, other: string) =>
  new Failure("usage", `${other} is set, and ${name} is not: the first key needs both`, HINT);
