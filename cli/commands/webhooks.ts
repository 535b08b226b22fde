import type { DeliveryOnWire } from "../../sandbox/control/shapes/webhook.ts";
import { parseFile } from "../files/files.ts";
import type { Io } from "../io.ts";
import { EXIT } from "../terminal/failure.ts";
import { cellOf } from "../terminal/output.ts";
import type { Own } from "./steering.ts";

/** `momo webhooks set` reads the file of the message. */
export const setWebhook = (io: Io): Own => ({
  sends({ form, template, times, delay, early }, url) {
    if (template === undefined) return { url, form, times, delay, early };
    const read = (content: unknown) => content;
    const options = {
      flag: "--template",
      hint: 'write an object, such as {"order": "{{reference}}", "state": "{{status}}"}',
    };
    const message = parseFile(io, String(template), read, options);
    return { url, form: form ?? "template", template: message, times, delay, early };
  },
});

type AttemptOnWire = Pick<DeliveryOnWire["attempts"][number], "status" | "problem" | "answer">;

/** `momo webhooks test` shows what the receiver answered, and fails if it did not accept. */
export const TEST_WEBHOOK: Own = {
  show(io, answer, flags) {
    const attempt = answer.attempt as AttemptOnWire;
    const { status, problem } = attempt;
    const layout = () => io.printFields(Object.entries({ message: answer.message, answer: attempt.answer }));
    io.printData(flags, { json: answer, rows: [attempt], essential: [cellOf(status ?? problem)], layout });
    if (problem !== null) io.exitCode = EXIT.refused;
  },
};
