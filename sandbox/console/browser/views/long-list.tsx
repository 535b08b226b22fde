import type { ComponentChildren } from "preact";
import { formatCount } from "../logic/format.ts";
import type { Windowed } from "./windowed.ts";

interface LongListProps {
  readonly list: Windowed<unknown>;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** The box in which a long list scrolls, and the way back to what has arrived at its top meanwhile. */
export function LongList({ list, label, children }: LongListProps) {
  return (
    <div class="table-box">
      {list.held > 0 && (
        <button type="button" class="held" onClick={list.toTop}>
          {formatCount(list.held)} new
        </button>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section class="scroll" ref={list.box} tabIndex={0} aria-label={label}>
        {children}
      </section>
    </div>
  );
}
