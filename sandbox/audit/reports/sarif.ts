import type { Results } from "./results.ts";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** SARIF 2.1.0, for services that show the results of analysers. */
export function sarifReport({ summary, facts, rules, found }: Results, version: string): object {
  const order = new Map(rules.map(({ id }, index) => [id, index]));
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        properties: { summary, ...facts },
        tool: {
          driver: {
            name: "momo",
            version,
            rules: rules.map(({ id, short, full, help, level }) => ({
              id,
              shortDescription: { text: short },
              fullDescription: { text: full },
              help: { text: help },
              defaultConfiguration: { level },
            })),
          },
        },
        results: found
          .filter(({ is }) => is !== "skipped")
          .map(({ rule, level, message, place, count, properties }) => ({
            ruleId: rule,
            ruleIndex: order.get(rule),
            level,
            message: { text: message.toWellFormed() },
            occurrenceCount: count,
            locations: [{ logicalLocations: [{ fullyQualifiedName: place }] }],
            properties,
          })),
      },
    ],
  };
}
