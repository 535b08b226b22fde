import { useSignal } from "@preact/signals";
import { type Command, CommandLines } from "./commands.tsx";
import { CloseIcon, WarningIcon } from "./icons.tsx";

/** An entry that can be removed alone. */
export interface Removable {
  readonly words: string;
  /** Its problem, or null. */
  readonly note?: string | null;
  readonly command: Command;
  readonly remove: () => void;
}

/** A list of entries in order, with the commands for the last remove button under the mouse. */
export function RemovableList({ what, items }: { what: string; items: readonly Removable[] }) {
  const pointed = useSignal(0);
  const shown = items[pointed.value] ?? items[0];
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
