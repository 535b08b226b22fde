export function findExecutable(): string;
export function whyNotStarted(file: string, error: { code?: string; message: string }): string;
