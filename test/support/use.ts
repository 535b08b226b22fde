import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";

interface Closable {
  close(): Promise<void>;
}

/** Opens something for each test of a file or of a `describe`, and closes it after the test. Only tests can use it. */
export function forEachTest<T extends Closable>(open: () => T | Promise<T>): T {
  return use(open, beforeEach, afterEach);
}

/** The same, once for all tests. */
export function forAllTests<T extends Closable>(open: () => T | Promise<T>): T {
  return use(open, beforeAll, afterAll);
}

function use<T extends Closable>(
  open: () => T | Promise<T>,
  before: (step: () => Promise<void>) => void,
  after: (step: () => Promise<void>) => void,
): T {
  let current: T | undefined;
  before(async () => {
    current = await open();
  });
  after(async () => current?.close());
  return new Proxy({} as T, { get: (_, member) => Reflect.get(current ?? {}, member) });
}
