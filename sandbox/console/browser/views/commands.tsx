import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { controlCurl } from "../logic/commands.ts";
import { server, token } from "../state.ts";
import { CommandLine } from "./code-block.tsx";

/** A call of the control API, and the momo command that does the same. */
export interface Command {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Absent if momo has no command for it. */
  readonly momo?: string;
}

/** The commands that do the same as a control. */
export function CommandLines({ command: { method, path, body, momo } }: { command: Command }) {
  if (!server.value) return null;
  return (
    <div class="commands">
      <CommandLine tool="curl" text={controlCurl(server.value, token.value !== null, method, path, body)} />
      {momo && <CommandLine tool="momo" text={momo} />}
    </div>
  );
}

export interface Control {
  readonly label: string;
  readonly command: Command;
  readonly run: () => void;
}

interface ControlGroupProps {
  readonly controls: readonly Control[];
  /** Whether the commands are hidden until the mouse is over a button. */
  readonly isFolded?: boolean;
  /** Shown before the buttons. */
  readonly children?: ComponentChildren;
}

/** Buttons, and below them the commands of the last button under the mouse. */
export function ControlGroup({ controls, isFolded = false, children }: ControlGroupProps) {
  const pointed = useSignal<string | null>(null);
  const shown = controls.find(({ label }) => label === pointed.value) ?? controls[0];
  const lines = shown && <CommandLines command={shown.command} />;
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
      {isFolded ? (
        <details>
          <summary>The same by command</summary>
          {lines}
        </details>
      ) : (
        lines
      )}
    </>
  );
}
