/** For a test that expects no fault: it fails where the fault is reported. */
export function rethrow(error: unknown): never {
  throw error;
}
