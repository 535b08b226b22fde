import { parsePhone } from "../../src/domain/phone.ts";
import { readNaming } from "../../src/domain/what-came.ts";
import { succeed } from "../../src/http/reply.ts";
import { readQuery } from "../../src/http/request.ts";
import type { ControlCall } from "./context.ts";
import { messageView } from "./message-view.ts";

/** A phone shows so many; a list of the service has no more on a page. */
const MAX_MESSAGES = 100;

/** `GET /_momo/messages`: the last text messages to customers, newest first; `?phone=` those to one phone. */
export const listMessages: ControlCall = async (_request, { service, merchantNames }, { query }) => {
  const { phone } = readQuery(query, ["phone"]);
  const paid = await service.listPaid(MAX_MESSAGES, phone === undefined ? null : readNaming(phone, parsePhone));
  const messages = paid.map(async (payment) => messageView(payment, await merchantNames.of(payment.merchantId)));
  return succeed(`${paid.length} message${paid.length === 1 ? "" : "s"}`, { messages: await Promise.all(messages) });
};
