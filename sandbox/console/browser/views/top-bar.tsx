import { addressOf, setting } from "../actions.ts";
import { connection } from "../asking.ts";
import { dayInWords, wallClock } from "../logic/format.ts";
import * as state from "../state.ts";
import { AheadPill } from "./clock.tsx";
import { CopyButton } from "./copy.tsx";
import { HelpIcon, IconButton, Mark, PlusIcon, SlidersIcon, SnowflakeIcon } from "./marks.tsx";

/** Always visible: the server, its state, unusual settings, and the sandbox's time. */
export function TopBar() {
  return (
    <header class="line top-bar">
      <h1 class="line brand">
        <Mark />
        momo
        {state.server.value?.name != null && <span class="muted cut instance">{state.server.value.name}</span>}
        {state.server.value?.seed != null && <span class="muted cut instance">seed {state.server.value.seed}</span>}
      </h1>
      <ConnectionChip />
      {state.server.value && (
        <span class="line muted address">
          <code class="cut" title={state.server.value.base_url}>
            {state.server.value.base_url}
          </code>
          <CopyButton text={state.server.value.base_url} what="the address" />
        </span>
      )}
      <span class="grow" />
      <UnusualChip />
      <ClockChip />
      <IconButton
        class="help"
        icon={HelpIcon}
        label="Help and shortcuts"
        title="Help and shortcuts (?)"
        onClick={setting(state.dialog, "help")}
      />
      <button type="button" class="primary" title="Start a test payment (p)" onClick={setting(state.dialog, "pay")}>
        <PlusIcon />
        Test payment
      </button>
    </header>
  );
}

const CONNECTIONS = {
  live: ["Live", "completed"],
  connecting: ["Connecting", "pending"],
  lost: ["Lost", "failed"],
} as const;

function ConnectionChip() {
  const [words, tone] = CONNECTIONS[connection.value];
  return (
    <span class="pill dot" data-tone={tone}>
      {words}
    </span>
  );
}

/** Shows unusual settings, and links to where they can be changed. */
function UnusualChip() {
  const parts = state.unusualParts.value;
  if (parts.length === 0) return null;
  const words = parts.join(" · ");
  return (
    <a class="pill" data-tone="cancelled" href={addressOf("steering")} title={`In force: ${words}`}>
      <SlidersIcon />
      <span class="cut">{words}</span>
      <span class="unseen">in force</span>
    </a>
  );
}

function ClockChip() {
  const isFrozen = state.clock.value?.frozen;
  const now = state.sandboxNow.value;
  return (
    <button
      type="button"
      class="bare line clock-chip"
      title="The sandbox's clock, in Nairobi. Set it"
      onClick={setting(state.dialog, "clock")}
    >
      {isFrozen && (
        <span class="line tone" data-tone="cancelled">
          <SnowflakeIcon />
        </span>
      )}
      <span class="date">{now === null ? "" : dayInWords(now)}</span>
      <time>{now === null ? "--:--:--" : wallClock(now)}</time>
      <span class="hint">{isFrozen ? "frozen" : "Nairobi"}</span>
      <AheadPill />
    </button>
  );
}
