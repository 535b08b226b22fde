import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { setting } from "../actions.ts";
import { controlCurl, momoLine } from "../logic/commands.ts";
import { server, token } from "../state.ts";
import { after, copyText } from "../system.ts";
import { CheckIcon, CopyIcon } from "./marks.tsx";

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
      <summary class="hint">The same by command</summary>
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

/** Which control was last under the mouse or had the focus: its commands are shown. */
export function usePointed<Name>() {
  const pointed = useSignal<Name | null>(null);
  return {
    pointed: pointed.value,
    /** The attributes of a control that notice it. */
    noticed: (name: Name) => ({ onPointerEnter: setting(pointed, name), onFocus: setting(pointed, name) }),
  };
}

/** Fields, buttons, and below them the commands of the last button under the mouse. */
export function ControlGroup({ controls, children }: { controls: readonly Control[]; children?: ComponentChildren }) {
  const { pointed, noticed } = usePointed<string>();
  const shown = controls.find(({ label }) => label === pointed) ?? controls[0];
  return (
    <>
      <div class="row">
        {children}
        {controls.map(({ label, run }) => (
          <button key={label} type="button" onClick={run} {...noticed(label)}>
            {label}
          </button>
        ))}
      </div>
      {shown && <CommandLines command={shown.command} />}
    </>
  );
}

/** Text to read or to paste, with a button that copies it. */
export function CodeBlock({ text, what }: { text: string; what: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

function CommandLine({ tool, text }: { tool: string; text: string }) {
  return (
    <div class="code command">
      <span class="label">{tool}</span>
      <code>{text}</code>
      <CopyButton text={text} what={`the ${tool} command`} />
    </div>
  );
}

const SHOWN_MS = 1600;

/** @param what names the text, for screen readers */
export function CopyButton({ text, what, label }: { text: string; what: string; label?: string | undefined }) {
  const said = useSignal<"copied" | "refused" | null>(null);
  async function copy() {
    said.value = (await copyText(text)) ? "copied" : "refused";
    after(SHOWN_MS, setting(said, null));
  }
  const words =
    said.value === "copied" ? "Copied" : said.value === "refused" ? "Select it and copy by hand" : (label ?? "");
  return (
    <button
      type="button"
      class={`quiet copy ${words === "" ? "square" : ""}`}
      aria-label={words === "" ? `Copy ${what}` : undefined}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      {said.value === "copied" ? <CheckIcon /> : <CopyIcon />}
      <span aria-live="polite">{words}</span>
    </button>
  );
}
