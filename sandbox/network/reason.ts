interface Ended {
  readonly status?: unknown;
  readonly result_code?: unknown;
  readonly result_desc?: unknown;
}

/**
 * Why a payment failed, such as `wrong PIN (2001)`; empty for other payments. The terminal and the console say the same.
 * @param outcomes as `GET /_momo/outcomes` lists them
 */
export function reasonOf(
  { status, result_code, result_desc }: Ended,
  outcomes: readonly { readonly name: string; readonly code: number | null }[],
): string {
  if (status !== "failed") return "";
  const name = outcomes.find(({ code }) => code !== null && code === result_code)?.name;
  const words = name?.replaceAll("_", " ").replace("pin", "PIN") ?? String(result_desc ?? "");
  return result_code == null ? words : `${words} (${result_code})`;
}
