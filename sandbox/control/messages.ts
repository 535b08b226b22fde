import { succeed } from "../../src/http/reply.ts";
import type { ControlCall } from "./context.ts";
import { parseQuery, phoneQuery } from "./input.ts";
import { counted, messageView } from "./views.ts";

/** The length of the list. */
const MAX_MESSAGES = 100;

/** `GET /_momo/messages`: the last text messages to customers, newest first; `?phone=` those to one phone. */
export const listMessages: ControlCall = async (_request, { service, merchantNames }, { query }) => {
  const { phone = null } = parseQuery(phoneQuery, query);
  const paid = await service.listPaid(MAX_MESSAGES, phone);
  const messages = paid.map(async (payment) => messageView(payment, await merchantNames.of(payment.merchantId)));
  return succeed(counted(paid.length, "message"), { messages: await Promise.all(messages) });
};
