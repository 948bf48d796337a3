/** `2.9.10` as numbers, `2.12.0-beta.1` without its tail; null when it is no version. */
function parse(version: string): readonly [number, number, number] | null {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  return parts ? [Number(parts[1]), Number(parts[2]), Number(parts[3])] : null;
}

/** Whether `version` is `than` or newer; an unreadable version is taken for new. */
export function isAtLeast(version: string, than: string): boolean {
  const [left, right] = [parse(version), parse(than)];
  if (!left || !right) return true;
  for (let i = 0; i < 3; i += 1) {
    const difference = (left[i] as number) - (right[i] as number);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** What an operator has to know about a server of this version, one sentence each; empty when there is nothing. */
export function lacksOf(server: {
  version: string;
  jetstream?: boolean | undefined;
  headers?: boolean | undefined;
}): string[] {
  const { version } = server;
  const lacks: string[] = [];
  if (server.headers !== true) lacks.push('it carries no headers, without which no request is served');
  if (server.jetstream !== true) lacks.push('JetStream is not enabled: events and signals wait until it is');
  if (!isAtLeast(version, '2.9.0')) lacks.push('it is older than 2.9, the oldest that the bus is tested with');
  if (!isAtLeast(version, '2.10.0')) {
    lacks.push(
      'it acknowledges before it has written to the disk and knows no sync_interval (2.10): a power failure loses up to a minute of stream, which is published again from Postgres',
    );
  }
  // https://github.com/nats-io/nats-server/issues/6888
  if (isAtLeast(version, '2.10.20') && !isAtLeast(version, '2.10.23')) {
    lacks.push('it may lose a whole stream when it is killed (fixed in 2.10.23)');
  }
  return lacks;
}
