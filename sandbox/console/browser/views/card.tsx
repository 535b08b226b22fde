import type { ComponentChildren } from "preact";

interface CardProps {
  readonly title: string;
  /** For screen readers, if it is not the title. */
  readonly label?: string;
  /** Shown beside the title. */
  readonly count?: string | number;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

export function Card({ title, label = title, count, isWide = false, children }: CardProps) {
  return (
    <section class={`card ${isWide ? "wide-card" : ""}`} aria-label={label}>
      <h2>
        {title} {count !== undefined && <span class="count">{count}</span>}
      </h2>
      {children}
    </section>
  );
}
