import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { formatCount } from "../logic/format.ts";
import { isListCurrent, isPaused, view } from "../state.ts";
import { nextFrame } from "../system.ts";
import { MOST_DRAWN, type Still } from "./still.ts";

interface LongListProps {
  readonly list: Still<unknown>;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** The scrolling box of a long list, and a button to the new rows at its top. Arrow keys go from row to row. */
export function LongList({ list, label, children }: LongListProps) {
  const { box, waiting, renew, check } = list;
  return (
    <div
      class="table-box"
      ref={box}
      onPointerMove={list.onMove}
      onPointerLeave={list.onLeave}
      onPointerUp={check}
      onFocusOut={check}
    >
      {waiting > 0 && (
        <button type="button" class="held" onClick={renew}>
          {waiting > MOST_DRAWN ? `${formatCount(MOST_DRAWN)}+` : formatCount(waiting)} new
        </button>
      )}
      <section
        class="scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        aria-label={label}
        aria-keyshortcuts="ArrowDown ArrowUp"
        onScroll={({ currentTarget }) => currentTarget.scrollTop > 0 !== list.isScrolled && check()}
        onKeyDown={walk}
      >
        {children}
      </section>
    </div>
  );
}

/** Stops a list until the next click. */
export function PauseButton() {
  return (
    <button
      type="button"
      class="quiet pause"
      aria-pressed={isPaused.value}
      title="While the list is paused, new rows wait"
      onClick={() => {
        isPaused.value = !isPaused.value;
      }}
    >
      {isPaused.value ? "Resume" : "Pause"}
    </button>
  );
}

/** In a search: Enter opens the first hit, and ↓ goes to it. The hits may still be loading. */
export function goToHits(event: KeyboardEvent): void {
  if (event.key !== "Enter" && event.key !== "ArrowDown") return;
  event.preventDefault();
  const stop = effect(() => {
    if (view.value === "transactions" && !isListCurrent.value) return;
    nextFrame(() => {
      stop();
      const first = document.querySelector<HTMLElement>("[data-row]");
      first?.focus();
      if (event.key === "Enter") first?.click();
    });
  });
}

/** Only one row can have the focus, and the arrow keys move it, so that Tab does not go through a thousand rows. */
function walk(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  if (event.key === "Escape") document.querySelector<HTMLElement>(".view [type=search]")?.focus();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const box = event.currentTarget.getBoundingClientRect();
  const firstInView = stops.findIndex((stop) => stop.getBoundingClientRect().top >= box.top);
  const next = stops[at < 0 ? firstInView : at + step];
  if (!next) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.closest("tr")?.scrollIntoView({ block: "nearest" });
}

/** Gives the focus back to the row whose details were closed, or to its list. */
export function returnFocus(row: string): void {
  const stop = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(row)}"]`);
  (stop ?? document.querySelector<HTMLElement>(".scroll"))?.focus();
}
