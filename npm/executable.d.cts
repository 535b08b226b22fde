export function findExecutable(machine?: {
  platform?: string;
  arch?: string;
  env?: Record<string, string | undefined>;
  node?: string;
}): string;
