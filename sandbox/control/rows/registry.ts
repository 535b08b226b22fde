import type { RegistryContext } from "../context.ts";
import type { Area } from "./row.ts";

/** Merchants, accounts and keys. A command has these calls without a server, too. */
export const REGISTRY_AREA: Area<RegistryContext> = {
  load: async () => (await import("../registry.ts")).REGISTRY_CALLS,
  rows: {
    "/merchants": {
      GET: { summary: "All merchants", part: "registry" },
      POST: { summary: "Register a merchant", part: "registry" },
    },
    "/accounts": {
      GET: { summary: "A merchant's payment accounts", part: "registry" },
      POST: { summary: "Open a payment account", part: "registry" },
    },
    "/keys": {
      GET: { summary: "A merchant's keys, without their secrets", part: "registry" },
      POST: { summary: "Make a key; its secret is shown only once", part: "registry" },
    },
    "/keys/API_KEY": {
      DELETE: { summary: "Revoke a key", part: "registry" },
    },
  },
};
