import { ConfigError } from '../config/index.ts';

/**
 * Before, changes of the members of a cluster lose acknowledged messages (https://jepsen.io/analyses/nats-2.12.1,
 * https://github.com/nats-io/nats-server/issues/7545).
 */
export const minimumForReplicas = '2.12.3';

/** `2.12.0-beta.1` is read as 2.12.0; null when the text is not a version. */
function parse(version: string): readonly [number, number, number] | null {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  return parts ? [Number(parts[1]), Number(parts[2]), Number(parts[3])] : null;
}

/** Whether `version` is `minimum` or newer. An unreadable version counts as new. */
export function isAtLeast(version: string, minimum: string): boolean {
  const [left, right] = [parse(version), parse(minimum)];
  if (!left || !right) return true;
  for (let i = 0; i < 3; i += 1) {
    const difference = (left[i] as number) - (right[i] as number);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** Throws ConfigError when the server may lose messages of streams with so many replicas. */
export function requireReplication(version: string | undefined, replicas = 1): void {
  if (version === undefined || isReplicationSafe(version, replicas)) return;
  throw new ConfigError(
    `NATS_STREAM_REPLICAS is ${replicas} and the server of NATS_URL is nats-server ${version}, which may lose messages of ` +
      `replicated streams: run ${minimumForReplicas} or newer on every server of the cluster, or set it to 1.`,
  );
}

function isReplicationSafe(version: string, replicas: number): boolean {
  return replicas === 1 || isAtLeast(version, minimumForReplicas);
}

/** What an operator has to know about this server, one text each. */
export function serverWarnings(
  server: { version: string; jetstream?: boolean | undefined; headers?: boolean | undefined },
  replicas = 1,
): string[] {
  const { version } = server;
  const warnings: string[] = [];
  if (!isReplicationSafe(version, replicas)) {
    warnings.push(`it may lose messages of streams with several replicas (fixed in ${minimumForReplicas})`);
  }
  if (server.headers !== true) warnings.push('it does not support headers, which every request needs');
  if (server.jetstream !== true) warnings.push('JetStream is not enabled; events and signals wait until it is');
  if (!isAtLeast(version, '2.9.0')) warnings.push('the bus is not tested with versions before 2.9');
  if (!isAtLeast(version, '2.10.0')) {
    warnings.push(
      'it acknowledges messages before it writes them to disk and has no sync_interval (2.10); a power failure loses up to a minute of a stream: events are published again from Postgres, signals that were not stored are lost',
    );
  }
  // https://github.com/nats-io/nats-server/issues/6888
  if (isAtLeast(version, '2.10.20') && !isAtLeast(version, '2.10.23')) {
    warnings.push('it may lose a whole stream when it is killed (fixed in 2.10.23)');
  }
  return warnings;
}
