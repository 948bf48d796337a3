/** An address on which this machine reaches what listens on `host`. */
export function hostAndPort(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

export function publicAddress(host: string, port: number): string {
  return `http://${hostAndPort(host, port)}`;
}
