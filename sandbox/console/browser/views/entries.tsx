import { api } from "../api.ts";
import type { Entry } from "../logic/steering.ts";
import type { FormCall } from "./form.tsx";
import { CloseIcon, IconButton } from "./marks.tsx";

interface EntriesProps {
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly call: Pick<FormCall, "run">;
}

/** Entries in order, each with a button that removes it. */
export const Entries = ({ label, entries, call }: EntriesProps) =>
  entries.length > 0 && (
    <ol class="entries" aria-label={label}>
      {entries.map(({ path, name, label, words, change }) => (
        <li key={path} class="line" data-label={label}>
          <span class="grow">{words}</span>
          {change && (
            <button type="button" class="quiet" aria-label={`Change ${name}`} onClick={change}>
              Change
            </button>
          )}
          <IconButton
            icon={CloseIcon}
            label={`Remove ${name}`}
            onClick={({ currentTarget }) => void remove(call, path, currentTarget)}
          />
        </li>
      ))}
    </ol>
  );

/** The focus goes on to the next entry, or to the form. */
export async function remove(call: Pick<FormCall, "run">, path: string, button: HTMLElement): Promise<void> {
  const item = button.closest("li");
  const next =
    item?.nextElementSibling ?? item?.previousElementSibling ?? button.closest(".card")?.querySelector("form");
  const isRemoved = await call.run(() => api.call({ method: "DELETE", path }));
  if (isRemoved) next?.querySelector<HTMLElement>("button:last-child, input, select")?.focus();
}
