import { invalidAt } from "../../src/domain/error.ts";
import { canBeThisMachine } from "../loopback.ts";

/** The forms of the message: those of two real services, and one of the user's own. */
export const WEBHOOK_FORMS = ["payment.updated", "flat", "template"] as const;

/** Each payment is sent once, at once, without injected failures. */
export const DEFAULT_SETTINGS = { form: "payment.updated", times: 1, delay: "0s", early: false } as const;

export const MAX_WEBHOOK_TIMES = 10;

const MAX_URL_LENGTH = 2048;

/** Without a host, URL would take the first part of the path as the host. */
const WITH_HOST = /^\s*https?:\/\/[^/\\?#]/i;

/**
 * The address of a webhook, normalised.
 * @param what the name of the input in the refusal
 * @throws Refusal `invalid` without the address, because it may have a password
 */
export function parseWebhookUrl(text: string, what = "url"): string {
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalidAt(what, `must be an http or https address of at most ${MAX_URL_LENGTH} characters`);
  }
  if (!WITH_HOST.test(text)) throw invalidAt(what, "must have a host after http:// or https://");
  if (/\p{Cc}/u.test(text)) throw invalidAt(what, "must have no control characters in it");
  if (url.port === "0") throw invalidAt(what, "must have a port from 1 to 65535");
  if (url.username !== "" || url.password !== "") throw invalidAt(what, "must have no user name and no password in it");
  return url.href;
}

/** Whether an address is one of a server. All names of this machine are alike. @param origins where the server is */
export function isOwnAddress(address: string, origins: readonly string[]): boolean {
  const places = [address, ...origins]
    .filter((origin) => URL.canParse(origin))
    .map((origin) => placeOf(new URL(origin)));
  return places.slice(1).includes(places[0] ?? "");
}

const placeOf = ({ protocol, hostname, port }: URL): string => {
  const name = canBeThisMachine(hostname) ? "this machine" : hostname;
  return `${name}:${port === "" && protocol === "https:" ? "443" : port || "80"}`;
};
