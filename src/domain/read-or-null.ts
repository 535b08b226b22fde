/** For what is only a hint: what a function returns, and null if it throws. */
export function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
