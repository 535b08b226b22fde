import { Command } from "commander";
import { controlClient } from "../client/client.ts";
import { commandFor, resolveControl, type TargetFlags } from "../client/target.ts";
import { controlOptions, jsonOption, quietOption, readId } from "../terminal/options.ts";
import { type OutputOptions, print, printJson, printTable, tell } from "../terminal/output.ts";

type WebhooksFlags = OutputOptions & Pick<TargetFlags, "baseUrl" | "data">;

/** What the control API shows of a delivery. */
interface DeliveryView {
  readonly id: number;
  readonly checkout_request_id: string;
  readonly state: string;
  readonly due_at: string;
  readonly attempts: readonly { readonly status: number | null; readonly problem: string | null }[];
}

export function webhooksCommand(): Command {
  const command = new Command("webhooks");
  const sub = (name: string, summary: string, quiet: string) => {
    const made = command.command(name).description(summary);
    for (const option of controlOptions()) made.addOption(option);
    return made.addOption(jsonOption()).addOption(quietOption(quiet));
  };
  sub("list", "list what was sent to the webhook, oldest first", "the ids").action(list);
  sub("resend", "send one again, as a delivery of its own", "its new id")
    .argument("<id>", "of the delivery, as momo webhooks list shows it", readId)
    .action(resend);
  return command;
}

async function list(flags: WebhooksFlags): Promise<void> {
  const answer = await controlClient(resolveControl(flags)).get("/webhook", {});
  const deliveries = answer.deliveries as DeliveryView[];
  if (flags.quiet) for (const { id } of deliveries) print(String(id));
  else if (flags.json) printJson(answer);
  else {
    tell(answer.message);
    if (deliveries.length === 0) return;
    const rows = deliveries.map(({ id, checkout_request_id, state, due_at, attempts }) => {
      const last = attempts.at(-1);
      return [id, checkout_request_id, state, attempts.length, due_at, last?.problem ?? last?.status ?? ""];
    });
    await printTable(["id", "payment", "state", "attempts", "due", "answer"], rows);
  }
}

async function resend(id: number, flags: WebhooksFlags): Promise<void> {
  const options = { lookWith: commandFor(flags, "webhooks", "list") };
  const answer = await controlClient(resolveControl(flags)).post(`/webhook/deliveries/${id}/resend`, {}, options);
  if (flags.quiet) print(String((answer.delivery as DeliveryView).id));
  else if (flags.json) printJson(answer);
  else tell(answer.message);
}
