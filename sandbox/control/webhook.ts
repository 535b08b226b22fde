import { z } from "zod";
import { invalid, Refusal } from "../../src/domain/error.ts";
import { succeed, succeedWithList } from "../../src/http/reply.ts";
import { originOf, ownOriginOf } from "../../src/http/request.ts";
import { isOwnAddress } from "../webhooks/settings.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { type Calls, call } from "./context.ts";
import { bodyOf, noBody, pageQuery } from "./input.ts";
import { nextPage, writePage } from "./paging.ts";
import { merchantOrigin } from "./server.ts";
import { following } from "./shapes/values.ts";
import * as shapes from "./shapes/webhook.ts";
import { attemptView, deliveryView, webhookMessageView } from "./views.ts";

const webhookAnswer = { webhook: shapes.webhook.nullable() };

const deliveryPage = {
  ...webhookAnswer,
  ...following,
  deliveries: z.array(shapes.delivery),
};

export const WEBHOOK_CALLS: Calls = {
  "/webhook": {
    /** If the deliveries do not fit into one page, `next` is the address of the next page, as for the requests. */
    GET: call(deliveryPage, { query: pageQuery }, async ({ service, webhooks, realClock }, { query: page }) => {
      const found = await service.deliveries.list({ ...page, limit: page.limit + 1 }); // one more shows that there is a next page
      const { texts, more } = await writePage(found, page, realClock, (one) => JSON.stringify(deliveryView(one)));
      const members = { webhook: webhooks.settings, ...nextPage(more, "/webhook", `limit=${page.limit}`) };
      return succeedWithList(inWords(webhooks), members, "deliveries", texts);
    }),
    PUT: call(
      webhookAnswer,
      { body: bodyOf(shapes.webhook, { url: "http://127.0.0.1:8080/webhook", times: 2, delay: "1s" }) },
      async ({ steering, webhooks, server }, { request, body: settings }) => {
        if (isOwnAddress(settings.url, [merchantOrigin(request, server), originOf(request), ownOriginOf(request)])) {
          const rule = "must not be an address of this server";
          throw invalid(`url ${rule}: a webhook that calls momo could repeat itself for ever`, [{ path: "url", rule }]);
        }
        await steering.change(() => webhooks.load(settings));
        return succeed(inWords(webhooks), { webhook: webhooks.settings });
      },
    ),
    DELETE: call(webhookAnswer, {}, async ({ steering, service, webhooks }) => {
      const before = webhooks.settings;
      await steering.change(() => webhooks.load(null));
      try {
        await service.deliveries.giveUp();
      } catch (error) {
        await steering.change(() => webhooks.load(before));
        throw error;
      }
      return succeed(inWords(webhooks), { webhook: webhooks.settings });
    }),
  },
  "/webhook/test": {
    POST: call(
      { attempt: shapes.attempt, ...shapes.message },
      { body: noBody },
      async ({ webhooks }, { request, keepOpen }) => {
        keepOpen(request);
        const { message, attempt } = await webhooks.sendTest();
        const { problem, status } = attempt;
        const answer = [status && `HTTP ${status}`, problem].filter(Boolean).join(", ");
        const said = `${problem === null ? "accepted" : "did not accept"} the test event: ${answer}`;
        // A careful receiver knows no payment with the ids of the sample.
        const right =
          status === 404 ? ". A receiver may answer 404 for a payment that it does not know: this sample is one" : "";
        return succeed(`the webhook ${said}${right}`, {
          attempt: attemptView(attempt),
          ...webhookMessageView(message),
        });
      },
    ),
  },
  "/webhook/deliveries/ID/resend": {
    POST: call({ delivery: shapes.delivery }, { body: noBody }, async ({ webhooks }, { id }) => {
      if (!/^[1-9][0-9]{0,14}$/.test(id)) {
        throw new Refusal("not_found", "the id of a delivery is a whole number from 1");
      }
      const delivery = await webhooks.resend(Number(id));
      return succeed(`it is sent again as delivery ${delivery.id}`, { delivery: deliveryView(delivery) });
    }),
  },
};

const inWords = ({ settings }: Webhooks): string =>
  `${settings ? "each payment that becomes final is sent to the webhook" : "no webhook is set"}; the specification has no webhooks: poll in any case`;
