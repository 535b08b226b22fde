import { onEngines, postgres } from "../../support/engines.ts";

/**
 * Runs the contract tests of a store, the scenarios of the API, the check of momo, and the test of a server as new on PostgreSQL;
 * `npm test` runs them on SQLite.
 */

await onEngines(postgres, async () => {
  await import("../../store/contract/deliveries.test.ts");
  await import("../../store/contract/list.test.ts");
  await import("../../store/contract/merchants.test.ts");
  await import("../../store/contract/totals.test.ts");
  await import("../../store/contract/transactions.test.ts");
  await import("../../http/check-status.test.ts");
  await import("../../http/list.test.ts");
  await import("../../http/start-payment.test.ts");
  await import("../../sandbox/as-new.test.ts");
  await import("../../sandbox/check/check.test.ts");
});
