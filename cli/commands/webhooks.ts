import { Command } from "commander";
import type { DeliveryOnWire } from "../../sandbox/control/shapes/webhook.ts";
import { controlClient } from "../client/client.ts";
import { commandFor, resolveControl, type TargetFlags } from "../client/target.ts";
import { printList } from "../terminal/data.ts";
import { controlOptions, outputOptions, readId, withOptions } from "../terminal/options.ts";
import { asksForJson, cellOf, formatOf, type OutputOptions, print, printJson, tell } from "../terminal/output.ts";

type WebhooksFlags = OutputOptions & Pick<TargetFlags, "baseUrl" | "data">;

export default function webhooksCommand(): Command {
  const command = new Command("webhooks");
  const sub = (name: string, summary: string, quiet: string) =>
    withOptions(command.command(name).description(summary), ...controlOptions(), ...outputOptions(quiet));
  sub("list", "list what was sent to the webhook, oldest first", "the ids").action(list);
  sub("resend", "send one again, as a new delivery", "its new id")
    .argument("<id>", "of the delivery, as momo webhooks list shows it", readId)
    .action(resend);
  return command;
}

async function list(flags: WebhooksFlags): Promise<void> {
  const answer = await controlClient(resolveControl(flags)).get("/webhook", {});
  const deliveries = answer.deliveries as DeliveryOnWire[];
  const columns = [
    { name: "id", align: "right" as const },
    { name: "payment", cell: ({ checkout_request_id }: DeliveryOnWire) => checkout_request_id },
    { name: "state" },
    {
      name: "attempts",
      align: "right" as const,
      cell: ({ attempts }: DeliveryOnWire) => String(attempts.length),
    },
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

async function resend(id: number, flags: WebhooksFlags): Promise<void> {
  const options = { checkWith: commandFor(flags, "webhooks", "list") };
  const answer = await controlClient(resolveControl(flags)).post(`/webhook/deliveries/${id}/resend`, {}, options);
  if (flags.quiet) print(String((answer.delivery as DeliveryOnWire).id));
  else if (asksForJson(flags)) printJson(answer);
  else tell(answer.message);
}
