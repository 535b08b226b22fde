import { chooseTheme } from "../actions.ts";
import { wallClock } from "../logic/format.ts";
import { clock, connection, sandboxNow, server, type Theme, theme } from "../state.ts";
import { CopyButton } from "./copy-button.tsx";
import { AutoIcon, Mark, MoonIcon, PlusIcon, SnowflakeIcon, SunIcon } from "./icons.tsx";
import { openPayDialog } from "./pay-dialog.tsx";

/** What is always in sight: which server this is, how it is, what time it is for it. */
export function TopBar() {
  return (
    <header class="top-bar">
      <h1 class="brand">
        <Mark />
        momo
      </h1>
      <ConnectionChip />
      {server.value && (
        <span class="address">
          <code>{server.value.base_url}</code>
          <CopyButton text={server.value.base_url} what="the address" />
        </span>
      )}
      <span class="grow" />
      <ClockChip />
      <ThemeButton />
      <button type="button" class="primary" onClick={openPayDialog}>
        <PlusIcon />
        <span class="wide">Test payment</span>
        <span class="narrow">Pay</span>
      </button>
    </header>
  );
}

const WORDS = { live: "Live", connecting: "Connecting", lost: "Lost" } as const;

function ConnectionChip() {
  return (
    <span class="connection" data-connection={connection.value}>
      <i aria-hidden="true" />
      {WORDS[connection.value]}
    </span>
  );
}

function ClockChip() {
  if (sandboxNow.value === null) return null;
  const isFrozen = clock.value?.frozen;
  return (
    <a class="clock-chip" href="#steering" title="The sandbox's clock, in Nairobi. Freeze and move it in Steering.">
      {isFrozen && <SnowflakeIcon />}
      <time>{wallClock(sandboxNow.value)}</time>
      <span class="clock-word">{isFrozen ? "frozen" : "Nairobi"}</span>
    </a>
  );
}

const THEMES: Readonly<Record<Theme, { next: Theme; label: string; icon: typeof SunIcon }>> = {
  auto: { next: "light", label: "Colours: as the system. Switch to light", icon: AutoIcon },
  light: { next: "dark", label: "Colours: light. Switch to dark", icon: SunIcon },
  dark: { next: "auto", label: "Colours: dark. Switch to the system's", icon: MoonIcon },
};

function ThemeButton() {
  const { next, label, icon: ThemeIcon } = THEMES[theme.value] ?? THEMES.auto;
  return (
    <button type="button" class="quiet square" aria-label={label} title={label} onClick={() => chooseTheme(next)}>
      <ThemeIcon />
    </button>
  );
}
