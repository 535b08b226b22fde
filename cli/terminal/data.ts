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
  tellCommand,
} from "./output.ts";
import { page } from "./pager.ts";
import { wrapped } from "./plain.ts";
import { isTerminal, lineWidth } from "./standard-output.ts";
import { type Column, layOut } from "./table.ts";

/** Prints all data by one rule: a table at a terminal, JSON in a pipe, or what `--format` says. */

/** @param essential the value that `-q` prints */
export function printRecord(record: object, options: OutputOptions, essential: string | number): void {
  if (options.quiet) print(String(essential));
  else if (formatOf(options) === "json") printJson(record);
  else if (formatOf(options) === "tsv") printTsv([record]);
  else printFields(Object.entries(record));
}

export interface List<T extends object> {
  /** The name of the list in JSON, the same as in the control API. */
  readonly name: string;
  readonly items: readonly T[];
  /** The member that `-q` prints, one a line. */
  readonly essential: keyof T;
  /** The columns for people. Without `cell`, a column shows the member of its name. */
  readonly columns: readonly (Column & { readonly cell?: (item: T) => Piece })[];
  /** The whole JSON, if it has more than the items. */
  readonly whole?: object;
  /** The text for people if the list is empty, and the next command. */
  readonly empty?: { readonly said: string; readonly next: string };
}

export function printList<T extends object>(list: List<T>, options: OutputOptions): void {
  const { items, columns } = list;
  if (options.quiet) for (const item of items) print(cellOf(item[list.essential]));
  else if (formatOf(options) === "json") printJson(list.whole ?? { [list.name]: items });
  else if (formatOf(options) === "tsv") printTsv(items);
  else if (items.length === 0 && list.empty) {
    tell(list.empty.said);
    tellCommand("Next:", list.empty.next);
  } else {
    const rows = items.map((item) =>
      columns.map(
        ({ name, cell }) => cell?.(item) ?? cellOf((item as Record<string, unknown>)[name.replaceAll(" ", "_")]),
      ),
    );
    const lines = layOut(columns, rows).flatMap((line) => wrapped(lineOf(line, isTerminal), lineWidth()));
    page(lines);
  }
}
