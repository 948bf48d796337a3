import type { PermissionViolationError } from '@nats-io/transport-node';
import type { Logger } from '../log/index.ts';

/** The server refuses all subscriptions of a connection together. */
const gatherMs = 1_000;

/** What the server refuses of a connection, because its user has other permissions than those of the contracts. */
export interface Denials {
  add(denied: PermissionViolationError): void;
  /** A sentence on the refused subscriptions: without them the service gets no messages. Null without any. */
  problem(): string | null;
  /** The same, of a process that has started. The client drops a refused subscription for good. */
  problemUntilRestart(): string | null;
}

/**
 * Logs a refused message at once. Refused subscriptions, of which a service has up to two hundred, are one line: the
 * start of a service ends with the same sentence before, so this one is for permissions that change later.
 */
export function createDenials(service: string, log: Logger): Denials {
  const subjects = new Set<string>();
  let isGathering = false;

  const problem = (): string | null => {
    const [first, ...others] = subjects;
    if (first === undefined) return null;
    const more = others.length === 0 ? '' : ` and ${others.length} other subjects`;
    return (
      `The user of NATS_URL may not subscribe to ${first}${more}, which ${service} needs: ` +
      `give it the permissions that npm run nats-config prints for ${service}.`
    );
  };
  const problemUntilRestart = (): string | null => {
    const sentence = problem();
    return sentence === null ? null : `${sentence} Then restart it.`;
  };
  return {
    add({ operation, subject }) {
      if (operation !== 'subscription') {
        log.error(
          { operation, subject, user: service },
          'NATS refuses this subject: the user of NATS_URL lacks the permission',
        );
        return;
      }
      subjects.add(subject);
      if (isGathering) return;
      isGathering = true;
      setTimeout(() => {
        isGathering = false;
        log.error({ reason: problemUntilRestart() }, 'NATS refuses subscriptions');
      }, gatherMs).unref();
    },
    problem,
    problemUntilRestart,
  };
}
