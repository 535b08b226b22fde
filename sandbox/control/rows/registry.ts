import type { RegistryContext } from "../context.ts";
import type { Rows } from "./row.ts";

/** Merchants, accounts and keys. A command has these calls without a server, too. */

const load = async () => (await import("../registry.ts")).REGISTRY_CALLS;

export const REGISTRY_ROWS: Rows<RegistryContext> = {
  "/merchants": {
    GET: { summary: "All merchants", part: "registry", load },
    POST: { summary: "Register a merchant", part: "registry", load },
  },
  "/accounts": {
    GET: { summary: "A merchant's payment accounts", part: "registry", load },
    POST: { summary: "Open a payment account", part: "registry", load },
  },
  "/keys": {
    GET: { summary: "A merchant's keys, without their secrets", part: "registry", load },
    POST: { summary: "Make a key; its secret is shown only once", part: "registry", load },
  },
  "/keys/API_KEY": {
    DELETE: { summary: "Revoke a key", part: "registry", load },
  },
};
