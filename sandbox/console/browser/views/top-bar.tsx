import { addressOf, chooseTheme, foldPhones, openDialog } from "../actions.ts";
import { formatCount, wallClock } from "../logic/format.ts";
import { counted } from "../logic/steering.ts";
import { clock, connection, isFolded, prompts, sandboxNow, server, type Theme, theme, unusualParts } from "../state.ts";
import { CopyButton } from "./code-block.tsx";
import {
  AutoIcon,
  HelpIcon,
  Mark,
  MoonIcon,
  PhoneIcon,
  PlusIcon,
  SlidersIcon,
  SnowflakeIcon,
  SunIcon,
} from "./icons.tsx";

/** Always visible: the server, its state, unusual settings, and the sandbox's time. */
export function TopBar() {
  return (
    <header class="top-bar">
      <h1 class="brand">
        <Mark />
        momo
        {server.value?.name != null && <span class="instance">{server.value.name}</span>}
      </h1>
      <ConnectionChip />
      {server.value && (
        <span class="address">
          <code title={server.value.base_url}>{server.value.base_url}</code>
          <CopyButton text={server.value.base_url} what="the address" />
        </span>
      )}
      <span class="grow" />
      <UnusualChip />
      <ClockChip />
      <span class="tools">
        <ThemeButton />
        <button
          type="button"
          class="quiet square help"
          aria-label="Help and shortcuts"
          title="Help and shortcuts (?)"
          onClick={() => openDialog("help")}
        >
          <HelpIcon />
        </button>
        <FoldButton />
      </span>
      <button type="button" class="primary" title="Start a test payment (p)" onClick={() => openDialog("pay")}>
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
      <span>{WORDS[connection.value]}</span>
    </span>
  );
}

/** Shows unusual settings, and links to where they can be changed. */
function UnusualChip() {
  const parts = unusualParts.value;
  if (parts.length === 0) return null;
  const words = parts.join(" · ");
  return (
    <a class="unusual" href={addressOf("steering")} title={`In force: ${words}`}>
      <SlidersIcon />
      <span class="wide">{words}</span>
      <span class="narrow" aria-hidden="true">
        {parts.length}
      </span>
      <span class="unseen">in force</span>
    </a>
  );
}

function ClockChip() {
  const isFrozen = clock.value?.frozen;
  const now = sandboxNow.value;
  return (
    <a
      class="clock-chip"
      href={addressOf("steering")}
      title="The sandbox's clock, in Nairobi. Freeze and move it in Steering."
    >
      <SnowflakeSlot isShown={isFrozen === true} />
      <time>{now === null ? "--:--:--" : wallClock(now)}</time>
      <span class="clock-word">{isFrozen ? "frozen" : "Nairobi"}</span>
    </a>
  );
}

function SnowflakeSlot({ isShown }: { isShown: boolean }) {
  return isShown ? <SnowflakeIcon /> : null;
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

function FoldButton() {
  const ringing = prompts.value.size === 0 ? "" : `: ${counted(prompts.value.size, "prompt")} open`;
  const label = isFolded.value ? `Show the phone${ringing}` : "Hide the phone";
  return (
    <button
      type="button"
      class="quiet square fold"
      aria-label={label}
      title={label}
      aria-expanded={!isFolded.value}
      onClick={() => foldPhones(!isFolded.value)}
    >
      <PhoneIcon />
      {isFolded.value && prompts.value.size > 0 && <b class="count">{formatCount(prompts.value.size)}</b>}
    </button>
  );
}
