import { options, type VNode } from "preact";
import { visibleLines } from "../../../src/domain/visible.ts";

/** Attributes that are read out, or shown under the mouse. */
const SPOKEN = ["title", "aria-label"];

/**
 * Writes characters that nobody sees, and those that change the direction of text, as their escapes, like the terminal. All text that
 * the page shows goes through here: it may be of the author of a reference or an answer.
 */
export function escapeInvisible(): void {
  const next = options.vnode;
  options.vnode = (vnode: VNode) => {
    // A text is a node with a string in the place of the properties.
    const node = vnode as { props: string | Record<string, unknown> };
    if (typeof node.props === "string") node.props = visibleLines(node.props);
    else for (const name of SPOKEN) escapeIn(node.props, name);
    next?.(vnode);
  };
}

function escapeIn(props: Record<string, unknown>, name: string): void {
  const text = props[name];
  if (typeof text === "string") props[name] = visibleLines(text);
}
