import { type Command, Option } from "commander";
import type { DeliveryOnWire, WebhookSettings } from "../../sandbox/control/shapes/webhook.ts";
import { MAX_WEBHOOK_TIMES, WEBHOOK_FORMS } from "../../sandbox/webhooks/settings.ts";
import type { Answer } from "../client/request.ts";
import { host } from "../host.ts";
import { parseFile } from "../serving/files.ts";
import type { Column } from "../terminal/data.ts";
import { EXIT } from "../terminal/failure.ts";
import { number, readDurationText, readId, readPath, webhookUrlReader } from "../terminal/options.ts";
import { cellOf, formatOf, printData, printFields, tell } from "../terminal/output.ts";
import { type Flags as Steering, showList, steering, tellAnswer } from "./steering.ts";

interface Flags extends Steering {
  readonly form?: string;
  readonly template?: string;
  readonly delay?: string;
  readonly early?: true;
}

type AttemptOnWire = Pick<DeliveryOnWire["attempts"][number], "status" | "problem" | "answer">;

const readTimes = number(`a whole number from 0 to ${MAX_WEBHOOK_TIMES}`, /^[0-9]{1,4}$/, MAX_WEBHOOK_TIMES);

export function webhooksCommand(): Command {
  const columns: Column<DeliveryOnWire>[] = [
    { name: "id", align: "right" },
    { name: "payment", cell: ({ checkout_request_id }) => checkout_request_id },
    "state",
    { name: "attempts", align: "right", cell: ({ attempts }) => String(attempts.length) },
    { name: "due", cell: ({ due_at }) => due_at },
    { name: "answer", cell: ({ attempts }) => cellOf(attempts.at(-1)?.problem ?? attempts.at(-1)?.status) },
  ];
  const list = showList("deliveries", "id", columns, "momo webhooks set http://127.0.0.1:3000/");
  const { command, add } = steering<Flags>("webhooks", "the ids", (answer, flags, argument) => {
    const isEmpty = (answer.deliveries as DeliveryOnWire[]).length === 0; // then the list tells the message itself
    if (!flags.quiet && formatOf(flags) === "table" && !isEmpty) tell(answer.message);
    list(answer, flags, argument);
  });
  add("list", "list what was sent to the webhook, oldest first", (client) => client.get("/webhook", {}));
  add(
    "resend",
    "send one again, as a new delivery",
    (client, _flags, id) => client.post(`/webhook/deliveries/${id}/resend`, {}),
    (answer, flags) => tellAnswer(answer, flags, (answer.delivery as DeliveryOnWire).id),
  ).argument("<id>", "of the delivery, as momo webhooks list shows it", readId);
  const showSet = (answer: Answer, flags: Steering) =>
    tellAnswer(answer, flags, (answer.webhook as WebhookSettings | null)?.url ?? "none");
  add(
    "set",
    "send each payment that becomes final to an address",
    async (client, { times, delay, early, ...flags }, url) =>
      client.put("/webhook", { url, ...messageOf(flags), times, delay, early }),
    showSet,
  )
    .argument("<url>", "the receiver", webhookUrlReader("URL"))
    .addOption(new Option("--form <form>", "of the message").choices(WEBHOOK_FORMS))
    .option("--template <file>", 'the message as JSON, in which "{{status}}" and others are values', readPath)
    .option("--times <number>", "how often each message is sent; 0: never (default: 1)", readTimes)
    .option("--delay <duration>", "before each message, such as 5s", readDurationText)
    .option("--early", "before the answer to the push; the receiver must take two requests at a time");
  add("clear", "remove the webhook", (client) => client.delete("/webhook"), showSet);
  add(
    "test",
    "send a sample payment once, and show what the receiver answers",
    (client) => client.post("/webhook/test", {}),
    (answer, flags) => {
      const attempt = answer.attempt as AttemptOnWire;
      const { status, problem } = attempt;
      const layout = () => printFields(Object.entries({ message: answer.message, answer: attempt.answer }));
      printData(flags, { json: answer, rows: [attempt], essential: [cellOf(status ?? problem)], layout });
      if (problem !== null) host().exitCode = EXIT.refused;
    },
  );
  return command;
}

function messageOf({ form, template }: Pick<Flags, "form" | "template">) {
  if (template === undefined) return { form };
  const read = (content: unknown) => content;
  const options = {
    flag: "--template",
    hint: 'write an object, such as {"order": "{{reference}}", "state": "{{status}}"}',
  };
  return { form: form ?? "template", template: parseFile(template, read, options) };
}
