import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { setting } from "../actions.ts";
import { controlCurl, momoLine } from "../logic/commands.ts";
import { server, token } from "../state.ts";
import { CommandLine } from "./code-block.tsx";

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

/** Fields, buttons, and below them the commands of the last button under the mouse. */
export function ControlGroup({ controls, children }: { controls: readonly Control[]; children?: ComponentChildren }) {
  const pointed = useSignal<string | null>(null);
  const point = (label: string) => setting(pointed, label);
  const shown = controls.find(({ label }) => label === pointed.value) ?? controls[0];
  return (
    <>
      <div class="row">
        {children}
        {controls.map(({ label, run }) => (
          <button key={label} type="button" onClick={run} onPointerEnter={point(label)} onFocus={point(label)}>
            {label}
          </button>
        ))}
      </div>
      {shown && <CommandLines command={shown.command} />}
    </>
  );
}
