import { type Check, check, expectMember, list, ok, okIf, received, violated, whereSome } from "./check-run.ts";
import { Skip } from "./service.ts";

/** The pages of the list. */

const LIST = "/transactions.php";

/** A page of a list: it has no more transactions than its limit. */
const pageOf = (id: string, section: string, sentence: string, query: string, size: number): Check =>
  check(id, section, sentence, async ({ service }) => {
    const { exchange, pagination, items: some } = await list(service, query);
    const { per_page, total_items } = pagination;
    if (some.length > size) {
      const total = received(total_items);
      return violated(exchange, { kind: "page_size", rows: some.length, limit: received(size), total });
    }
    if (Number(per_page) === size) return whereSome(service, ok(exchange), 2);
    return expectMember(exchange, "per_page", per_page, false, { pagination });
  });

/** First: with a list that is not answered, nothing is checked. */
export const LIST_ANSWERED: Check = check(
  "list.answer",
  "§4.3",
  `The list is answered with 200, \`success\` true and an array of transactions`,
  async ({ service }) => {
    const exchange = await service.ask({ path: LIST });
    const { status, json } = exchange;
    const hasArray = Array.isArray(json?.transactions) || Array.isArray(json?.data);
    const isAnswered = status === 200 && json?.success === true && hasArray;
    return okIf(isAnswered, exchange, { kind: "list", status, success: received(json?.success), hasArray });
  },
);

export const PAGE_CHECKS: readonly Check[] = [
  check("list.page", "§4.3", "The default page is 1", async ({ service }) => {
    const { exchange, pagination } = await list(service);
    const { current_page } = pagination;
    return expectMember(exchange, "current_page", current_page, Number(current_page) === 1, { pagination });
  }),
  pageOf("list.limit", "§8", "The default page size is 10", "", 10),
  pageOf("list.limit-one", "§4.3", "`limit` is the number of items on a page", "?limit=1", 1),
  pageOf("list.limit-most", "§8", "`limit` can be 100", "?limit=100", 100),
  check(
    "list.full-page",
    "§4.3",
    `A page has as many transactions as its limit, if there are so many`,
    async ({ service }) => {
      for (const query of ["", "?limit=1", "?limit=100"]) {
        const { pagination, items: some, exchange } = await list(service, query);
        const { total_items, per_page } = pagination;
        if (some.length !== Math.min(Number(total_items), Number(per_page))) {
          const page = { rows: some.length, limit: received(per_page), total: received(total_items) };
          return violated(exchange, { kind: "page_size", ...page }, { pagination });
        }
      }
      return whereSome(service, ok(null));
    },
  ),
  check(
    "list.total-pages",
    "§2.3",
    `\`total_pages\` is the number of pages that hold \`total_items\``,
    async ({ service }) => {
      for (const { exchange, pagination } of [await list(service), await list(service, "?limit=1")]) {
        const { total_items, per_page, total_pages } = pagination;
        const pages = Math.ceil(Number(total_items) / Number(per_page));
        // Without items, one empty page is a page as well.
        if (Number(total_pages) === pages || (pages === 0 && total_pages === 1)) continue;
        const counts = { pages: received(total_pages), items: received(total_items), limit: received(per_page) };
        return violated(exchange, { kind: "page_count", ...counts }, { pagination });
      }
      return whereSome(service, ok(null));
    },
  ),
  check("list.next-page", "§4.3", "Another page has other transactions", async ({ service }) => {
    const [first, second] = [await list(service, "?limit=1"), await list(service, "?page=2&limit=1")];
    const [one, other] = [first.items[0], second.items[0]];
    if (!one || Number(first.pagination.total_items) <= first.items.length) throw new Skip({ kind: "one_page" });
    if (first.pagination.total_items !== second.pagination.total_items) throw new Skip({ kind: "may_change" });
    const { current_page } = second.pagination;
    if (current_page !== 2) {
      return expectMember(second.exchange, "current_page", current_page, false, { pagination: second.pagination });
    }
    const isAnother = other !== undefined && other.id !== one.id;
    const ids = { first: received(one.id), second: received(other?.id) };
    return okIf(isAnother, second.exchange, { kind: "same_row", ...ids });
  }),
];
