import { z } from "zod";
import { formatDuration } from "../../src/domain/duration.ts";
import { Refusal } from "../../src/domain/error.ts";
import { succeed, succeedWithList } from "../../src/http/reply.ts";
import { DEFAULT_SETTINGS, MAX_WEBHOOK_TIMES, parseWebhookUrl, WEBHOOK_FORMS } from "../webhooks/settings.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { CONTROL_PATH, type ControlCall } from "./context.ts";
import { duration, expectEmptyBody, pageQuery, parseQuery, readBody, readWith } from "./input.ts";
import { writePage } from "./paging.ts";
import type { WebhookOnWire } from "./shapes/webhook.ts";
import { attemptView, deliveryView, webhookMessageView } from "./views.ts";

export const webhookRequest = z.strictObject({
  url: readWith(z.string(), (text) => parseWebhookUrl(text, "it")),
  form: z.enum(WEBHOOK_FORMS, { error: `must be one of ${WEBHOOK_FORMS.join(", ")}` }).default(DEFAULT_SETTINGS.form),
  times: z
    .int()
    .min(0)
    .max(MAX_WEBHOOK_TIMES)
    .default(DEFAULT_SETTINGS.times)
    .describe("how often each message is sent; 0: never"),
  delay: duration.default(0),
  early: z
    .boolean()
    .default(DEFAULT_SETTINGS.early)
    .describe("whether a message is sent before the answer to the push"),
});
export type WebhookInput = z.input<typeof webhookRequest>;

/**
 * `GET /_momo/webhook`: the settings, or null, and the deliveries, oldest first. If they do not fit into one page, `next` is the
 * address of the next page, as for the requests.
 */
export const showWebhook: ControlCall = async (_request, { service, webhooks, realClock }, { query }) => {
  const page = parseQuery(pageQuery, query);
  const found = await service.deliveries.list({ ...page, limit: page.limit + 1 }); // one more shows that there is a next page
  const { texts, next } = await writePage(found, page, realClock, (delivery) => JSON.stringify(deliveryView(delivery)));
  const members = {
    ...settingsView(webhooks),
    next: next && `${CONTROL_PATH}/webhook?${next}&limit=${page.limit}`,
  };
  return succeedWithList(messageOf(webhooks), members, "deliveries", texts);
};

/** `PUT /_momo/webhook`: from now on, sends each payment that becomes final to this address. */
export const replaceWebhook: ControlCall = async (request, { steering, webhooks }) => {
  const { delay, ...settings } = await readBody(webhookRequest, request);
  const next = { ...settings, delayMs: delay };
  await steering.change(() => webhooks.replace(next));
  return succeed(messageOf(webhooks), settingsView(webhooks));
};

export const removeWebhook: ControlCall = async (_request, { steering, webhooks }) => {
  await steering.change(() => webhooks.replace(null));
  await webhooks.giveUp();
  return succeed(messageOf(webhooks), settingsView(webhooks));
};

/** `POST /_momo/webhook/test`: sends a sample payment to the webhook once, and answers with what the receiver answered. */
export const testWebhook: ControlCall = async (request, { webhooks }, { keepOpen }) => {
  await expectEmptyBody(request);
  keepOpen(request);
  const { message, attempt } = await webhooks.sendTest();
  const { problem, status } = attempt;
  const said = `the webhook ${problem === null ? "accepted" : "did not accept"} the test event: ${problem ?? status}`;
  return succeed(said, { attempt: attemptView(attempt), ...webhookMessageView(message) });
};

/** `POST /_momo/webhook/deliveries/ID/resend`: sends it again, as a new delivery. */
export const resendDelivery: ControlCall = async (_request, { webhooks }, { id }) => {
  if (!/^[1-9][0-9]{0,14}$/.test(id)) throw new Refusal("not_found", "the id of a delivery is a whole number from 1");
  const delivery = await webhooks.resend(Number(id));
  return succeed(`it is sent again as delivery ${delivery.id}`, { delivery: deliveryView(delivery) });
};

function settingsView({ settings }: Webhooks): WebhookOnWire {
  return {
    webhook: settings && {
      url: settings.url,
      form: settings.form,
      times: settings.times,
      delay: formatDuration(settings.delayMs),
      early: settings.early,
    },
  };
}

const messageOf = ({ settings }: Webhooks): string =>
  `${settings ? "each payment that becomes final is sent to the webhook" : "no webhook is set"}; the specification has no webhooks: poll in any case`;
