/** @returns the reason as the end of a sentence about the file, such as `is empty`; null if nothing is wrong, or it cannot be read */
export function whyNotRunnable(file: string): string | null;
