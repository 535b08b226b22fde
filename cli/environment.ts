/** The only file that reads the environment. Nothing is read from a `.env` file. */

export interface MomoEnvironment {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly apiSecret?: string;
  readonly paymentAccountId?: string;
  readonly controlUrl?: string;
  readonly controlToken?: string;
  readonly data?: string;
}

/** The variables of momo's that are set and not empty. */
export function momoEnvironment(): MomoEnvironment {
  return {
    ...named("baseUrl", "MOMO_BASE_URL"),
    ...named("apiKey", "MOMO_API_KEY"),
    ...named("apiSecret", "MOMO_API_SECRET"),
    ...named("paymentAccountId", "MOMO_PAYMENT_ACCOUNT_ID"),
    ...named("controlUrl", "MOMO_CONTROL_URL"),
    ...named("controlToken", "MOMO_CONTROL_TOKEN"),
    ...named("data", "MOMO_DATA"),
  };
}

function named<N extends string>(name: N, variable: string): { [K in N]?: string } {
  const value = process.env[variable];
  return value ? ({ [name]: value } as { [K in N]: string }) : {};
}

/** Where this platform keeps the data of programs, as far as the environment says. */
export function platformFolders(): { xdgDataHome?: string; localAppData?: string } {
  return { ...named("xdgDataHome", "XDG_DATA_HOME"), ...named("localAppData", "LOCALAPPDATA") };
}

/** Continuous integration asks nobody anything. */
export function isCi(): boolean {
  return Boolean(process.env.CI);
}

/** `NO_COLOR`, when set to anything, means plain text. */
export function wantsColour(): boolean {
  return !process.env.NO_COLOR && process.env.TERM !== "dumb";
}

/** A proxy is for the world outside; what runs on this machine is reached directly. */
export function reachLoopbackDirectly(): void {
  const already = process.env.NO_PROXY ?? process.env.no_proxy;
  process.env.NO_PROXY = [already, "localhost", "127.0.0.1", "::1"].filter(Boolean).join(",");
}
