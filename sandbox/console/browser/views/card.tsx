import type { ComponentChildren } from "preact";

interface CardProps {
  readonly title: string;
  /** For screen readers, if it is not the title. */
  readonly label?: string;
  /** Shown beside the title. */
  readonly count?: string | number;
  readonly isWide?: boolean;
  /** At the other end of the title's line. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Card({ title, label = title, count, isWide = false, aside, children }: CardProps) {
  return (
    <section class={`card stack ${isWide ? "wide-card" : ""}`} aria-label={label}>
      <header class="line between">
        <h2>
          {title}
          {count !== undefined && <span class="pill"> {count}</span>}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
