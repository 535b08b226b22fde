import type { EventRule } from "../rule.ts";

/** The engine adds it when `--intercept` has opened a payment account. */
export const accountOpened = {
  kind: "account_opened",
  severity: "note",
  section: "§2.1",
  label: "account opened",
  advice:
    "Make sure that it is the id of your account there: only --intercept opens what is missing. Without it, start momo exec --account with the id.",
  judges: "events",
} as const satisfies EventRule;
