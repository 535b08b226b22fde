/** Nairobi by the time-zone tables of the system, not by an offset. */
const NAIROBI = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "Africa/Nairobi",
  ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" },
});

/** `YYYY-MM-DD HH:MM:SS`. */
export const inNairobi = (atMs: number): string => NAIROBI.format(atMs);

export const dayInNairobi = (atMs: number): string => inNairobi(atMs).slice(0, 10);

/** How the network's receipts begin on a day: the year from A for 2006, the month from A, the day as 1 to 9 and then from A. */
function receiptDate(atMs: number): string {
  const [year = 0, month = 0, day = 0] = dayInNairobi(atMs).split("-").map(Number);
  const letter = (index: number) => String.fromCharCode(65 + index);
  return letter((year - 2006) % 26) + letter(month - 1) + (day < 10 ? String(day) : letter(day - 10));
}

export function isReceipt(value: unknown, atMs: number): boolean {
  return typeof value === "string" && /^[0-9A-Z]{10}$/.test(value) && value.startsWith(receiptDate(atMs));
}
