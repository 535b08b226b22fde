import type { ComponentChildren } from "preact";
import { CopyButton } from "./code-block.tsx";

interface PairsProps {
  readonly class?: string;
  /** Without the pairs that have no value. */
  readonly of: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[];
}

/** Names and their values. */
export const Pairs = ({ class: style = "", of }: PairsProps) => (
  <dl class={`pairs ${style}`}>
    {of.map(
      ([name, value], index) =>
        value && (
          <div key={index}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
);

/** A value with a button that copies it. */
export const copied = (what: string, text: string | null | undefined, label?: string) =>
  text && (
    <span class="line">
      <code>{text}</code>
      <CopyButton text={text} what={what} label={label} />
    </span>
  );
