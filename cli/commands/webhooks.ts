import { Command } from "commander";
import type { DeliveryOnWire } from "../../sandbox/control/shapes/webhook.ts";
import type { Answer } from "../client/client.ts";
import { printList } from "../terminal/data.ts";
import { readId } from "../terminal/options.ts";
import { cellOf, formatOf, type OutputOptions, tell } from "../terminal/output.ts";
import { steeringCommand, tellAnswer } from "./steering.ts";

export default function webhooksCommand(): Command {
  const command = new Command("webhooks");
  const sub = steeringCommand(command, list, "the ids");
  sub("list", "list what was sent to the webhook, oldest first", (client) => client.get("/webhook", {}));
  sub(
    "resend",
    "send one again, as a new delivery",
    (client, _flags, id, write) => client.post(`/webhook/deliveries/${id}/resend`, {}, write),
    (answer, flags) => tellAnswer(answer, flags, (answer.delivery as DeliveryOnWire).id),
  ).argument("<id>", "of the delivery, as momo webhooks list shows it", readId);
  return command;
}

function list(answer: Answer, flags: OutputOptions): void {
  const deliveries = answer.deliveries as DeliveryOnWire[];
  const columns = [
    { name: "id", align: "right" as const },
    { name: "payment", cell: ({ checkout_request_id }: DeliveryOnWire) => checkout_request_id },
    { name: "state" },
    { name: "attempts", align: "right" as const, cell: ({ attempts }: DeliveryOnWire) => String(attempts.length) },
    { name: "due", cell: ({ due_at }: DeliveryOnWire) => due_at },
    {
      name: "answer",
      cell: ({ attempts }: DeliveryOnWire) => cellOf(attempts.at(-1)?.problem ?? attempts.at(-1)?.status),
    },
  ];
  const empty = { said: answer.message, next: "momo serve --webhook http://127.0.0.1:3000/" };
  if (!flags.quiet && formatOf(flags) === "table" && deliveries.length > 0) tell(answer.message);
  printList({ name: "deliveries", items: deliveries, essential: "id", columns, whole: answer, empty }, flags);
}
