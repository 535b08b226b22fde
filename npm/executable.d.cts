export function findExecutable(machine?: {
  platform?: string;
  arch?: string;
  env?: Record<string, string | undefined>;
  node?: string;
}): string;
export function whyNotStarted(file: string, error: { code?: string; message: string }): string;
