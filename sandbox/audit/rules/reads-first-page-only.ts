import { listRule } from "../rule.ts";
import { clean } from "../words.ts";

const UNREAD = { group: "" };

export const readsFirstPageOnly = listRule({
  kind: "reads_first_page_only",
  severity: "note",
  section: "§4.3",
  label: "reads the first page only",
  advice:
    "Ask for page 2 and the following, up to total_pages of the pagination: a report of one page leaves payments out.",
  judges: "lists",
  judge: ({ read, pages }) => (read.size < pages ? UNREAD : null),
  explain: ({ query, requestId, read, pages, atMs }) => ({
    message: `The list of “${clean(query)}” has ${pages} pages, and the client has read ${read.size} of them.`,
    requestIds: [requestId],
    payment: null,
    atMs,
  }),
});
