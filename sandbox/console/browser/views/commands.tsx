import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { controlCurl, momoLine } from "../logic/commands.ts";
import { server, token } from "../state.ts";
import { CommandLine } from "./code-block.tsx";
import { CloseIcon, WarningIcon } from "./icons.tsx";

/** A call of the control API, and the momo command that does the same. */
export interface Command {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** The words of the momo command. Absent if there is none. */
  readonly momo?: string;
}

/** The commands that do the same as a control, folded away. */
export function CommandLines({ command: { method, path, body, momo } }: { command: Command }) {
  if (!server.value) return null;
  return (
    <details class="commands">
      <summary>The same by command</summary>
      <CommandLine tool="curl" text={controlCurl(server.value, token.value !== null, method, path, body)} />
      {momo && <CommandLine tool="momo" text={momoLine(server.value, momo)} />}
    </details>
  );
}

export interface Control {
  readonly label: string;
  readonly command: Command;
  readonly run: () => void;
}

interface ControlGroupProps {
  readonly controls: readonly Control[];
  /** Shown before the buttons. */
  readonly children?: ComponentChildren;
}

/** Buttons, and below them the commands of the last button under the mouse. */
export function ControlGroup({ controls, children }: ControlGroupProps) {
  const pointed = useSignal<string | null>(null);
  const shown = controls.find(({ label }) => label === pointed.value) ?? controls[0];
  return (
    <>
      <div class="buttons">
        {children}
        {controls.map(({ label, run }) => {
          const point = () => {
            pointed.value = label;
          };
          return (
            <button key={label} type="button" onClick={run} onPointerEnter={point} onFocus={point}>
              {label}
            </button>
          );
        })}
      </div>
      {shown && <CommandLines command={shown.command} />}
    </>
  );
}

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
