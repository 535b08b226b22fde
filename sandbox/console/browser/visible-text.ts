import { options, type VNode } from "preact";
import { visibleLines } from "../../../src/domain/visible.ts";

/**
 * Writes characters that nobody sees, and those that change the direction of text, as their escapes, like the terminal. All text that
 * the page shows goes through here: it may be of the author of a reference or an answer.
 */
export function escapeInvisible(): void {
  const next = options.vnode;
  options.vnode = (vnode: VNode) => {
    // A text is a node with a string in the place of the properties.
    const node = vnode as { props: string | { title?: unknown } };
    if (typeof node.props === "string") node.props = visibleLines(node.props);
    else if (typeof node.props.title === "string") node.props.title = visibleLines(node.props.title);
    next?.(vnode);
  };
}
