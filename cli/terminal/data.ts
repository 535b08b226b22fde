import {
  cellOf,
  formatOf,
  lineOf,
  type OutputOptions,
  type Piece,
  print,
  printFields,
  printJson,
  printTsv,
  tell,
} from "./output.ts";
import { page } from "./pager.ts";
import { isTerminal } from "./standard-output.ts";
import { type Column, layOut } from "./table.ts";

/** One rule for all data: laid out at a terminal, JSON in a pipe, and as `--format` says. */

/** @param essential the value that `-q` prints */
export function printRecord(record: object, options: OutputOptions, essential: string | number): void {
  if (options.quiet) print(String(essential));
  else if (formatOf(options) === "json") printJson(record);
  else if (formatOf(options) === "tsv") printTsv([record]);
  else printFields(Object.entries(record));
}

export interface List<T extends object> {
  /** Where the items are in JSON: the same name as in the control API. */
  readonly name: string;
  readonly items: readonly T[];
  /** The member that `-q` prints, one a line. */
  readonly essential: keyof T;
  /** For people; by default a column for each of these members. */
  readonly columns: readonly (Column & { readonly cell?: (item: T) => Piece })[];
  /** What JSON has, where it is more than the items. */
  readonly whole?: object;
  /** What people are told where there is nothing, and what to run next. */
  readonly empty?: { readonly said: string; readonly next: string };
}

export function printList<T extends object>(list: List<T>, options: OutputOptions): void {
  const { items, columns } = list;
  if (options.quiet) for (const item of items) print(cellOf(item[list.essential]));
  else if (formatOf(options) === "json") printJson(list.whole ?? { [list.name]: items });
  else if (formatOf(options) === "tsv") printTsv(items);
  else if (items.length === 0 && list.empty) {
    tell(list.empty.said);
    tell(`Next: ${list.empty.next}`);
  } else {
    const rows = items.map((item) =>
      columns.map(
        ({ name, cell }) => cell?.(item) ?? cellOf((item as Record<string, unknown>)[name.replaceAll(" ", "_")]),
      ),
    );
    page(layOut(columns, rows).map((line) => lineOf(line, isTerminal)));
  }
}
