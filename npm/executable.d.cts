export function findExecutable(): string;
export function requireProgram(file: string): void;
export function whyNotStarted(file: string, error: { code?: string; message: string }): string;
