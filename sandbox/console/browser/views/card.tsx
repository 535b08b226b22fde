import type { ComponentChildren } from "preact";
import { CopyButton } from "./copy.tsx";

interface CardProps {
  readonly title: string;
  /** For screen readers, if it is not the title. */
  readonly label?: string;
  readonly count?: string | number;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

export function Card({ title, label = title, count, isWide = false, children }: CardProps) {
  return (
    <section class={`card stack ${isWide ? "wide-card" : ""}`} aria-label={label}>
      <h2>
        {title}
        {count !== undefined && <span class="pill"> {count}</span>}
      </h2>
      {children}
    </section>
  );
}

interface PairsProps {
  readonly class?: string;
  /** Without the pairs that have no value. */
  readonly of: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[];
}

export const Pairs = ({ class: style = "", of }: PairsProps) => (
  <dl class={`pairs ${style}`}>
    {of.map(
      ([name, value], index) =>
        value && (
          <div key={index}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
);

export const copied = (what: string, text: string | null | undefined, label?: string) =>
  text && (
    <span class="line">
      <code>{text}</code>
      <CopyButton text={text} what={what} label={label} />
    </span>
  );

/** The width is in rem; without one, the columns share the rest. */
export type ColumnHead = readonly [title: ComponentChildren, style?: string, width?: number];

/** @param sort of the first column */
export function TableHead({ columns, sort }: { columns: readonly ColumnHead[]; sort?: "descending" }) {
  return (
    <thead>
      <tr>
        {columns.map(([title, style, width], index) => (
          <th
            key={index}
            scope="col"
            class={style}
            style={width === undefined ? undefined : { width: `${width}rem` }}
            aria-sort={index === 0 ? sort : undefined}
          >
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface RecordsProps {
  readonly columns: readonly ColumnHead[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** A short table. Each cell has the style of its column. */
export const Records = ({ columns, rows }: RecordsProps) => (
  <table class="records">
    <TableHead columns={columns} />
    <tbody>
      {rows.map((cells, row) => (
        <tr key={row}>
          {cells.map((cell, column) => (
            <td key={column} class={columns[column]?.[1]}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
