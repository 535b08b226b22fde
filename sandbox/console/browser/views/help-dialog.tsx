import { setting } from "../actions.ts";
import { dialog, server } from "../state.ts";
import { Dialog } from "./dialog.tsx";
import { Pairs } from "./pairs.tsx";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["/", "search; Enter opens the first hit, ↓ goes to it"],
  ["p", "start a test payment"],
  ["0 … 9", "type the PIN on the phone that rings; Enter sends it, Escape cancels the prompt"],
  ["↓ ↑", "in a list: the next row, the row before; Enter opens it"],
  ["← →", "in the chart: the next bar, the bar before; Enter shows its payments alone"],
  ["Escape", "close what is open, and go back: to the row, to the search"],
  ["?", "this help"],
];

export function HelpDialog() {
  return (
    <Dialog id="help" title="Shortcuts" isOpen={dialog.value === "help"} onClose={setting(dialog, null)}>
      <Pairs of={KEYS.map(([keys, what]) => [<kbd>{keys}</kbd>, what])} />
      <p class="hint">
        Any PIN of 4 to 6 digits pays; 0000 is the wrong one. momo {server.value?.version}, everything by command:{" "}
        <code>momo help</code>.
      </p>
    </Dialog>
  );
}
