import type { Database } from "bun:sqlite";
import type { SearchRanges } from "../list-query.ts";

/**
 * The keys of a search: the phones and references of transactions, called words. They are sorted within blocks of numbers, so that a
 * search reads one stretch of each block. The words of new transactions are added a thousand at a time, in the commit of the last of
 * them. A search scans the rows that have none yet.
 */

/** A block has 2^14 numbers: a search among a million rows reads 61 blocks. */
const WORD_BLOCK_BITS = 14;

/** How many transactions get their words at once. It takes 1.5 ms. */
const ROWS_AT_ONCE = 1024;

/** Payments with these numbers may still be on their way. Words that are added one by one cost more. */
const NUMBERS_LEFT = 1024;

const COLUMNS = {
  phone_words: `id >> ${WORD_BLOCK_BITS}, phone, merchant_id, id`,
  reference_words: `id >> ${WORD_BLOCK_BITS}, coalesce(reference_folded, reference), merchant_id, id`,
};
const TABLES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** The words that a table should have of the transactions with some numbers. */
const wordsOf = (table: keyof typeof COLUMNS, ids: string): string =>
  `SELECT ${COLUMNS[table]} FROM transactions WHERE ${ids} ${table === "reference_words" ? "AND reference IS NOT NULL" : ""}`;

export type WordsChange = ReturnType<typeof createWordsChange>;

/** What one commit changes. */
export function createWordsChange(client: Database) {
  const statements = prepare(client);
  const added: number[] = [];
  return {
    /** Call it before the writes of a commit, which may run twice. */
    begin(): void {
      added.length = 0;
    },
    /** A transaction with this number is new. */
    add: (id: number) => added.push(id),
    /** Call it after the writes, in the same commit. */
    write(): void {
      if (added.length === 0) return;
      let until: number | null = wordsUntil(statements);
      let greatest = 0;
      for (const id of added) {
        if (id < until) for (const statement of statements.addWords) statement.run(id, id);
        greatest = Math.max(greatest, id);
      }
      while (until !== null && greatest >= until + ROWS_AT_ONCE + NUMBERS_LEFT) {
        until = addNext(statements, until, ROWS_AT_ONCE);
      }
    },
  };
}

type Statements = ReturnType<typeof prepare>;

function prepare(client: Database) {
  return {
    readUntil: client.query<{ until: number }, []>("SELECT words_until AS until FROM numbering"),
    setUntil: client.query<never, [number]>("UPDATE numbering SET words_until = ?"),
    /** The last of so many transactions without words. */
    last: client.query<{ id: number }, [number, number]>(
      "SELECT id FROM transactions WHERE id >= ? ORDER BY id LIMIT 1 OFFSET ? - 1",
    ),
    addWords: TABLES.map((table) =>
      client.query<never, [number, number]>(
        `INSERT INTO ${table} ${wordsOf(table, "id BETWEEN ? AND ?")} ORDER BY 1, 2, 3, 4`,
      ),
    ),
  };
}

const wordsUntil = ({ readUntil }: Statements): number => readUntil.get()?.until ?? 0;

/** Adds the words of the next `count` transactions. @returns the number after the last; null if there are fewer */
function addNext({ setUntil, last, addWords }: Statements, until: number, count: number): number | null {
  const end = last.get(until, count);
  if (!end) return null;
  for (const statement of addWords) statement.run(until, end.id);
  setUntil.run(end.id + 1);
  return end.id + 1;
}

/** Call this in the transaction that removes all rows. */
export function removeWords(client: Database): void {
  for (const table of TABLES) client.run(`DELETE FROM ${table}`);
  client.run("UPDATE numbering SET words_until = 0");
}

/** Removes all words, and adds those of the rows that are there. Call it in a transaction. */
export function collectWords(client: Database): void {
  removeWords(client);
  const statements = prepare(client);
  // A whole block at once is faster.
  for (const count of [2 ** WORD_BLOCK_BITS, ROWS_AT_ONCE]) {
    while (addNext(statements, wordsUntil(statements), count) !== null) {}
  }
}

/** Whether the transactions up to the last with words, and no others, have exactly their words. */
export function areWordsTrue(client: Database): boolean {
  const wrong = TABLES.map((table) => {
    const columns = `(${table === "phone_words" ? "block, phone" : "block, reference"}, merchant_id, id)`;
    const rows = wordsOf(table, "id < (SELECT words_until FROM numbering)");
    return `(SELECT count(*) FROM ${table}) <> (SELECT count(*) FROM (${rows}))
      OR EXISTS (SELECT 1 FROM ${table} AS kept WHERE ${columns} NOT IN (${wordsOf(table, "id = kept.id")}))`;
  });
  return client.query(`SELECT ${wrong.join(" OR ")}`).values()[0]?.[0] === 0;
}

/** How many blocks are searched at once, in about half a millisecond. */
const BLOCKS_AT_ONCE = 150;

/** Finds numbers of transactions by their words. */
export type WordSearch = ReturnType<typeof createWordSearch>;

export function createWordSearch(client: Database) {
  const newestBefore = client.query<{ block: number | null }, [number]>(
    "SELECT max(block) AS block FROM phone_words WHERE block < ?",
  );
  const inBlocks = (table: string, column: string) =>
    client.query<{ id: number }, [string, number | string, number | string, number | null, number]>(
      `SELECT word.id FROM json_each(?) AS blocks CROSS JOIN ${table} AS word WHERE word.block = blocks.value
        AND word.${column} >= ? AND word.${column} < ? AND word.merchant_id = coalesce(?, word.merchant_id) LIMIT ?`,
    );
  const byPhone = inBlocks("phone_words", "phone");
  const byReference = inBlocks("reference_words", "reference");
  const withoutWords = client.query<{ id: number }, [number, number, string, string, number | null]>(
    `SELECT id FROM transactions NOT INDEXED WHERE id >= (SELECT words_until FROM numbering)
      AND (phone >= ? AND phone < ? OR coalesce(reference_folded, reference) >= ? AND coalesce(reference_folded, reference) < ?)
      AND merchant_id = coalesce(?, merchant_id)`,
  );

  /**
   * The transactions of a merchant, or of all, with a phone or a reference in these ranges; null if there are more than `most`.
   * It yields where it can be interrupted.
   */
  return function* search(
    { phone, reference }: Partial<SearchRanges>,
    merchantId: number | null,
    most: number,
  ): Generator<undefined, number[] | null> {
    const stretches = [
      ...(phone ? [{ words: byPhone, ...phone }] : []),
      ...(reference ? [{ words: byReference, ...reference }] : []),
    ];
    const found = new Set<number>();
    const newestBelow = (block: number) => newestBefore.get(block)?.block ?? null;
    for (let newest = newestBelow(Number.MAX_SAFE_INTEGER); newest !== null; ) {
      const oldest: number = newest - BLOCKS_AT_ONCE + 1;
      const blocks = JSON.stringify(Array.from({ length: BLOCKS_AT_ONCE }, (_, place) => oldest + place));
      for (const { words, from, before } of stretches) {
        const rows = words.all(blocks, from, before, merchantId, most + 1);
        if (rows.length > most) return null;
        for (const { id } of rows) found.add(id);
      }
      if (found.size > most) return null;
      newest = newestBelow(oldest);
      if (newest !== null) yield;
    }
    const [from, before] = phone ? [phone.from, phone.before] : [1, 0];
    const [start, end] = reference ? [reference.from, reference.before] : ["1", "0"];
    for (const { id } of withoutWords.all(from, before, start, end, merchantId)) found.add(id);
    return found.size > most ? null : [...found];
  };
}
