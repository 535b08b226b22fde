import type { ComponentChildren } from "preact";

/** Our own icons, in the colour of the text around them. A text beside each says what it means. */
function Icon({ children, size = 16 }: { children: ComponentChildren; size?: number }) {
  return (
    <svg
      class="icon"
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const CopyIcon = () => (
  <Icon>
    <rect x="5.5" y="5.5" width="8" height="8" rx="2" />
    <path d="M10.5 5.5v-1a2 2 0 0 0-2-2h-4a2 2 0 0 0-2 2v4a2 2 0 0 0 2 2h1" />
  </Icon>
);

export const CheckIcon = () => (
  <Icon>
    <path d="M3 8.5l3.2 3.2L13 5" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="M4 4l8 8M12 4l-8 8" />
  </Icon>
);

export const WarningIcon = () => (
  <Icon>
    <path d="M8 2.2l6.2 11H1.8z" />
    <path d="M8 6.5v3M8 11.4v.1" />
  </Icon>
);

export const SnowflakeIcon = () => (
  <Icon size={14}>
    <path d="M8 1.5v13M2.4 4.7l11.2 6.6M13.6 4.7L2.4 11.3" />
    <path d="M6.2 2.6L8 4.2l1.8-1.6M6.2 13.4L8 11.8l1.8 1.6" />
  </Icon>
);

export const BackspaceIcon = () => (
  <Icon size={20}>
    <path d="M5.5 3.5h7a1.5 1.5 0 0 1 1.5 1.5v6a1.5 1.5 0 0 1-1.5 1.5h-7L1.8 8z" />
    <path d="M7.2 6.2l3.6 3.6M10.8 6.2L7.2 9.8" />
  </Icon>
);

export const PlusIcon = () => (
  <Icon>
    <path d="M8 3v10M3 8h10" />
  </Icon>
);

export const SunIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9L13 13M13 3l-1.1 1.1M4.1 11.9L3 13" />
  </Icon>
);

export const MoonIcon = () => (
  <Icon>
    <path d="M13.5 9.6A6 6 0 1 1 6.4 2.5a4.8 4.8 0 0 0 7.1 7.1z" />
  </Icon>
);

export const AutoIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="6" />
    <path d="M8 2v12" />
    <path d="M8 3.5a4.5 4.5 0 0 1 0 9z" fill="currentColor" />
  </Icon>
);

/** The mark of momo: a phone that has paid. */
export const Mark = () => (
  <svg class="mark" width="1.625rem" height="1.625rem" viewBox="0 0 32 32" aria-hidden="true">
    <rect x="7" y="1" width="18" height="30" rx="5.5" />
    <path d="M11.4 16.4l3.3 3.3 6-6.5" />
  </svg>
);

export const HelpIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="6.2" />
    <path d="M6.2 6.3a1.9 1.9 0 1 1 2.7 1.9c-.6.3-.9.7-.9 1.3M8 11.6v.1" />
  </Icon>
);

export const PhoneIcon = () => (
  <Icon>
    <rect x="4.5" y="1.8" width="7" height="12.4" rx="1.8" />
    <path d="M7.2 11.8h1.6" />
  </Icon>
);

export const SlidersIcon = () => (
  <Icon size={14}>
    <path d="M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7" />
    <circle cx="10.5" cy="4.5" r="1.5" />
    <circle cx="5.5" cy="11.5" r="1.5" />
  </Icon>
);
