import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { setting } from "../actions.ts";
import { api } from "../api.ts";
import { after } from "../system.ts";
import type { Command } from "./commands.tsx";
import type { Call } from "./form.tsx";

const OFFERED_MS = 20_000;

export interface Undoable {
  /**
   * Makes a call, and offers another one that undoes it.
   * @param words what the call did
   */
  change(command: Command, words: string, undo: Command): Promise<void>;
  /** What was done, and the button that undoes it. */
  readonly line: VNode;
}

export function useUndo(call: Call): Undoable {
  const offered = useSignal<{ readonly words: string; readonly undo: () => void } | null>(null);
  const withdraw = setting(offered, null);
  return {
    async change(command, words, undo) {
      if (!(await call.run(() => api.call(command)))) return;
      const offer = { words, undo: () => void call.run(() => api.call(undo)).then(withdraw) };
      offered.value = offer;
      after(OFFERED_MS, () => offered.value === offer && withdraw());
    },
    line: (
      <div class="box line tone small" role="status" data-tone="pending">
        {offered.value?.words}
        {offered.value && (
          <button type="button" onClick={offered.value.undo}>
            Undo
          </button>
        )}
      </div>
    ),
  };
}
