import { useSignal } from "@preact/signals";
import { type Command, CommandLines } from "./commands.tsx";
import { CloseIcon, WarningIcon } from "./icons.tsx";

/** Something in force that can be taken away by itself. */
export interface Removable {
  readonly words: string;
  /** What is wrong with it, or null. */
  readonly note?: string | null;
  readonly command: Command;
  readonly remove: () => void;
}

/** What is in force, in order. The commands are those of the removal that was last pointed at. */
export function RemovableList({ what, items }: { what: string; items: readonly Removable[] }) {
  const pointed = useSignal<number | null>(null);
  const shown = pointed.value === null ? undefined : items[pointed.value];
  return (
    <>
      <ol class="rule-list">
        {items.map(({ words, note = null, remove }, index) => {
          const point = () => {
            pointed.value = index;
          };
          return (
            <li key={index}>
              <span>
                {words}
                {note !== null && (
                  <small class="warned">
                    <WarningIcon /> {note}
                  </small>
                )}
              </span>
              <button
                type="button"
                class="quiet square"
                aria-label={`Remove ${what} ${index + 1}`}
                onClick={remove}
                onPointerEnter={point}
                onFocus={point}
              >
                <CloseIcon />
              </button>
            </li>
          );
        })}
      </ol>
      {shown && <CommandLines command={shown.command} />}
    </>
  );
}
