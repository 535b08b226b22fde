/**
 * Makes a value when it is first asked for. Preparing a statement costs far more than running it, so that a server is ready
 * sooner, and a command done sooner, which prepares only what it uses.
 */
export function onFirstUse<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
