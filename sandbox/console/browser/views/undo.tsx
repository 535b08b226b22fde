import { useSignal } from "@preact/signals";
import { after } from "../system.ts";

const OFFERED_MS = 20_000;

export interface Undo {
  offer(words: string, undo: () => void): void;
  readonly words: string | null;
  run(): void;
}

export function useUndo(): Undo {
  const offered = useSignal<{ readonly words: string; readonly undo: () => void } | null>(null);
  return {
    words: offered.value?.words ?? null,
    offer(words, undo) {
      const offer = { words, undo };
      offered.value = offer;
      after(OFFERED_MS, () => {
        if (offered.value === offer) offered.value = null;
      });
    },
    run() {
      offered.value?.undo();
      offered.value = null;
    },
  };
}

export function UndoLine({ undo }: { undo: Undo }) {
  return (
    <div class="undo" role="status">
      {undo.words !== null && (
        <>
          {undo.words}{" "}
          <button type="button" onClick={() => undo.run()}>
            Undo
          </button>
        </>
      )}
    </div>
  );
}
