export interface LoadedLater<T> {
  /** Null before it is loaded. */
  readonly now: T | null;
  readonly load: () => Promise<T>;
}

/** Loads something once, when it is first used. */
export function loadLater<T>(load: () => Promise<T>): LoadedLater<T> {
  let now: T | null = null;
  return {
    get now() {
      return now;
    },
    load: once(async () => {
      now = await load();
      return now;
    }),
  };
}

/** Runs a function at the first call; every call returns its value. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
