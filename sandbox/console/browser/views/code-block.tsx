import { CopyButton } from "./copy-button.tsx";

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

/** One line for a shell. */
export function CommandLine({ tool, text }: { tool: string; text: string }) {
  return (
    <div class="command">
      <span class="tool">{tool}</span>
      <code>{text}</code>
      <CopyButton text={text} what={`the ${tool} command`} />
    </div>
  );
}
