import type { ComponentChildren } from "preact";

export type ColumnHead = readonly [title: ComponentChildren, style?: string, sort?: "descending"];

export function TableHead({ columns }: { columns: readonly ColumnHead[] }) {
  return (
    <thead>
      <tr>
        {columns.map(([title, style, sort], index) => (
          <th key={index} scope="col" class={style} aria-sort={sort}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}
