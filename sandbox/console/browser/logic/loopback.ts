/** Whether the host of an address is always this machine. `localhost.evil.example` is not. */
export const isLoopbackName = (hostname: string): boolean =>
  /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
