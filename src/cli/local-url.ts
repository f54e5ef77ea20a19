/** Where a client on this machine reaches a server that listens as `http` says; "any address" is no address to call. */
export const localUrl = ({ host, port }: { host: string; port: number }): string => {
  const anywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  return `http://${anywhere[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`;
};
