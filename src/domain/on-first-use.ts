/**
 * Makes a value when it is first needed. Preparing an SQL statement costs far more than running it, so a server
 * and a command prepare only the statements that they use.
 */
export function onFirstUse<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
