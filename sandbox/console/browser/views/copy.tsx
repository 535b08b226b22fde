import { useSignal } from "@preact/signals";
import { setting } from "../actions.ts";
import { after, copyText } from "../system.ts";
import { CheckIcon, CopyIcon } from "./marks.tsx";

export function CodeBlock({ text, what }: { text: string; what: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} what={what} />
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
