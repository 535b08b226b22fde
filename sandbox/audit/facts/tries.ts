/** A number of the try behind the reference of an order: `/2`, `-retry`, `#3`, ` (2)`, `-try-2`. */
const TRY =
  /[-_/.:#~ (]+(?:(?:re-?)?(?:try|send|pay|submit|attempt)|again|repeat|copy|[rtvnx])?[-_/.:# ]?(?:[1-9][0-9]?)?\)?$/i;

/**
 * What the client of `momo client` adds, so that no two pushes have one reference: twelve characters, or eight of an earlier client. A day,
 * a phone, or a number with zeros, is of the shop.
 */
const ADDED_BY_CLIENT =
  /(?<=.)~(?!0000|(?:19|20)[0-9]{2}[01][0-9][0-3][0-9]$|254[17][0-9]{8}$)(?:[0-9a-f]{4})?[0-9a-f]{8}$/;

/** The reference as the shop gave it to the client. */
export const withoutAddition = (reference: string): string => reference.replace(ADDED_BY_CLIENT, "");

/** Behind these, a number counts orders, and not tries: a year, or a day. */
const COUNTED_BY = /(?:^|[^0-9])(?:19|20)[0-9]{2}(?:[-_/.]?[01][0-9](?:[-_/.]?[0-3][0-9])?)?$/;

/** Whether two references are of one order: but for a number of the try behind one or both, they are the same. */
export function continues(first: string, second: string): boolean {
  // The service ignores the case, too.
  const one = first.toLowerCase();
  const other = second.toLowerCase();
  if (one === other) return true;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.startsWith(short)) return isTry(long.slice(short.length)) && short.length > 0;
  const order = orderIn(one);
  return order !== null && order === orderIn(other);
}

const isTry = (rest: string): boolean => /[a-z0-9]/i.test(rest) && TRY.exec(rest)?.index === 0;

/** The order in a reference that ends with a number of the try; null if it has none. */
function orderIn(reference: string): string | null {
  const found = TRY.exec(reference);
  if (found === null || !isTry(found[0])) return null;
  const order = reference.slice(0, found.index);
  // Without a number of its own it names no order, and what follows is that number.
  return /[0-9]/.test(order) && !COUNTED_BY.test(order) ? order : null;
}
