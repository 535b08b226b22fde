import { useSignal } from "@preact/signals";
import { setting } from "../actions.ts";
import { counted } from "../logic/steering.ts";
import { type Command, CommandLines } from "./commands.tsx";
import { CloseIcon, IconButton } from "./icons.tsx";
import { Warned } from "./marks.tsx";
import type { Undoable } from "./undo.tsx";

interface RemovableListProps<Entry> {
  readonly what: string;
  readonly entries: readonly Entry[];
  readonly inWords: (entry: Entry) => string;
  /** The problem of each entry, or null. */
  readonly problems?: readonly (string | null | 0)[];
  /** The call that replaces all entries by these. */
  readonly replacement: (next: readonly Entry[]) => Command;
  readonly undo: Undoable;
}

/** Entries in order, each with a button that removes it, and the command of the last button under the mouse. */
export function RemovableList<Entry>(props: RemovableListProps<Entry>) {
  const { what, entries, inWords, problems = [], replacement, undo } = props;
  const pointed = useSignal(0);
  const commandOf = (index: number) => replacement(index < 0 ? [] : entries.toSpliced(index, 1));
  const remove = (index: number, words: string) => ({
    onClick: () => void undo.change(commandOf(index), `${words} removed.`, replacement(entries)),
    onPointerEnter: setting(pointed, index),
    onFocus: setting(pointed, index),
  });
  const capital = what.replace(/^./, (letter) => letter.toUpperCase());
  return (
    <>
      <ol class="entries rule-list">
        {entries.map((entry, index) => (
          <li key={index} class="line">
            <span class="grow">
              {inWords(entry)}
              {problems[index] && <Warned words={problems[index]} />}
            </span>
            <IconButton
              icon={CloseIcon}
              label={`Remove ${what} ${index + 1}`}
              {...remove(index, `${capital} ${index + 1}`)}
            />
          </li>
        ))}
      </ol>
      <div class="row">
        <button type="button" {...remove(-1, counted(entries.length, what))}>
          Remove all {entries.length}
        </button>
      </div>
      <CommandLines command={commandOf(Math.min(pointed.value, entries.length - 1))} />
    </>
  );
}
