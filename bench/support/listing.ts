import { KINDS, STATUSES } from "../../src/domain/transaction.ts";
import type { RunningMomo } from "./servers.ts";

const DAY_MS = 86_400_000;

/** Query strings: `all` combinations of type, status, dates and limit, or each type with each status once. */
export function mixes(all: boolean): string[] {
  const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
  const types = ["", ...KINDS.map((kind) => `&type=${kind}`)];
  const statuses = ["", ...STATUSES.map((status) => `&status=${status}`)];
  const dates = [
    "",
    `&date_from=${dayAgo(100)}&date_to=${dayAgo(100)}`,
    `&date_from=${dayAgo(60)}&date_to=${dayAgo(30)}`,
    `&date_to=${dayAgo(180)}`,
  ];
  const limits = [10, 100];
  return types.flatMap((type) =>
    statuses.flatMap((status) =>
      (all ? dates : [""]).flatMap((span) =>
        (all ? limits : [10]).map((limit) => `limit=${limit}${type}${status}${span}`),
      ),
    ),
  );
}

/** One page of the list, and how long it took. */
export async function list(momo: RunningMomo, query: string): Promise<{ ms: number; totalPages: number }> {
  const startedMs = performance.now();
  const response = await fetch(`${momo.url}/transactions.php?${query}`, { headers: momo.headers });
  const answer = (await response.json()) as { message: string; pagination: { total_pages: number } };
  const ms = performance.now() - startedMs;
  if (!response.ok) throw new Error(`${query}: ${answer.message}`);
  return { ms, totalPages: answer.pagination.total_pages };
}
