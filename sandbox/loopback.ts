/** Whether a host name or address always leads to this machine, whoever resolves it. `localhost.evil.example` does not. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.[0-9]{1,3}){3}|::1|\[::1\])$/.test(host);

/** The same in a browser, which takes each name below `localhost` for this machine. Other programs may ask a name server. */
export const isLoopbackInBrowser = (host: string): boolean => isLoopback(host) || host.endsWith(".localhost");

/** Whether the host of a URL can lead to this machine: also with a dot at the end, as any address, or as IPv4 in IPv6. */
export const canBeThisMachine = (host: string): boolean =>
  isLoopbackInBrowser(host.replace(/\.$/, "")) ||
  /^(?:0\.0\.0\.0|\[::(?:ffff:(?:7f[0-9a-f]{2}|0):[0-9a-f]+)?\])$/.test(host);
