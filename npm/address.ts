import process from "node:process";
import { URL } from "node:url";
import type { SandboxAddress } from "./test-sandbox.ts";

/** The variables that `momo exec`, `momo env`, the action and the examples for containers set. */
const VARIABLES = {
  baseUrl: "MOMO_BASE_URL",
  apiKey: "MOMO_API_KEY",
  apiSecret: "MOMO_API_SECRET",
  paymentAccountId: "MOMO_PAYMENT_ACCOUNT_ID",
  controlUrl: "MOMO_CONTROL_URL",
  controlToken: "MOMO_CONTROL_TOKEN",
} as const;

type Member = keyof typeof VARIABLES;

const variableOf = (member: Member) => (process.env[VARIABLES[member]] ?? "").trim();
const withoutSlash = (url: string) => url.trim().replace(/\/+$/, "");

/** The control token is empty if the sandbox needs none, as on a loopback address. */
export type CompleteAddress = Required<SandboxAddress>;

/**
 * Where a running sandbox is: what the caller gives, and the variables for the rest.
 * @throws Error that names what is missing or wrong
 */
export function addressOf(given: Partial<SandboxAddress>): CompleteAddress {
  const isOther = areOfAnother(given.baseUrl);
  const textOf = (member: Member) => String(given[member] ?? variableOf(member)).trim();
  const controlOf = (member: "controlUrl" | "controlToken") =>
    (isOther ? (given[member] ?? "") : textOf(member)).trim();
  const needed = ["baseUrl", "apiKey", "apiSecret", "paymentAccountId"] as const;
  const missing = needed.filter((member) => textOf(member) === "").map((member) => VARIABLES[member]);
  if (missing.length > 0) {
    throw new Error(
      `connectSandbox() needs ${missing.join(", ")}: run the tests with momo exec, or eval "$(momo env)"`,
    );
  }
  const baseUrl = urlOf("baseUrl", textOf("baseUrl"));
  const controlUrl = controlOf("controlUrl") || new URL("/_momo", baseUrl).href;
  return {
    baseUrl,
    apiKey: textOf("apiKey"),
    apiSecret: textOf("apiSecret"),
    paymentAccountId: accountOf(textOf("paymentAccountId")),
    controlUrl: urlOf("controlUrl", controlUrl),
    controlToken: tokenOf(controlOf("controlToken")),
  };
}

/** Whether the variables are those of another sandbox than the given one: then it does not get their token. */
function areOfAnother(baseUrl: string | undefined): boolean {
  const theirs = variableOf("baseUrl") || variableOf("controlUrl");
  return baseUrl !== undefined && theirs !== "" && withoutSlash(baseUrl) !== withoutSlash(theirs);
}

/** Without a slash at the end. */
function urlOf(member: Member, text: string): string {
  if (/^https?:\/\/[^/\s]/.test(text) && URL.canParse(text)) return withoutSlash(text);
  throw wrong(member, "an address such as http://127.0.0.1:2547/v2", text);
}

function accountOf(text: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw wrong("paymentAccountId", "a whole number from 1", text);
}

function tokenOf(text: string): string {
  if (/^[\x21-\x7e]*$/.test(text)) return text;
  throw new Error(`${VARIABLES.controlToken} must be visible ASCII characters without spaces`);
}

const wrong = (member: Member, rule: string, text: string) =>
  new Error(`${member} (${VARIABLES[member]}) must be ${rule}; it is "${text}"`);
