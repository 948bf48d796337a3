import type { ServiceName } from '@yardarm/shared/contracts';

/**
 * A moment between two things that a service does for good. All of them pass through Postgres, so a moment is told by a statement, and
 * what ships needs no hook: a process dies before the statement is sent, or before or after the commit of the transaction it stands in. A
 * statement that is a transaction of its own commits when it is answered: before that, the process dies as soon as it has been sent.
 */
export interface CrashPoint {
  name: string;
  service: ServiceName;
  statement: RegExp;
  dies: 'before statement' | 'before commit' | 'after commit';
}

/** Every crash point that has a name; a run that did not reach all of them has failed. */
export const crashPoints: readonly CrashPoint[] = [
  { name: 'flags: changed, not committed', service: 'flags', statement: /insert into outbox /, dies: 'before commit' },
  { name: 'flags: committed, not published', service: 'flags', statement: /insert into outbox /, dies: 'after commit' },
  {
    name: 'flags: published, not marked',
    service: 'flags',
    statement: /update outbox set published_at = clock_timestamp/,
    dies: 'before statement',
  },
  {
    name: 'events: written, not committed',
    service: 'events',
    statement: /insert into events /,
    dies: 'before commit',
  },
  { name: 'events: recorded, not relayed', service: 'events', statement: /insert into events /, dies: 'after commit' },
  {
    name: 'events: relayed, not marked',
    service: 'events',
    statement: /update relay_position/,
    dies: 'before statement',
  },
  {
    name: 'integrations: read, not taken',
    service: 'integrations',
    statement: /insert into deliveries /,
    dies: 'before statement',
  },
  {
    name: 'integrations: taken, not committed',
    service: 'integrations',
    statement: /insert into deliveries /,
    dies: 'before commit',
  },
  {
    name: 'integrations: taken, not claimed',
    service: 'integrations',
    statement: /insert into deliveries /,
    dies: 'after commit',
  },
  {
    name: 'integrations: claimed, not committed',
    service: 'integrations',
    statement: /update deliveries d set state = 'sending'/,
    dies: 'before commit',
  },
  {
    name: 'integrations: claimed, not sent',
    service: 'integrations',
    statement: /update deliveries d set state = 'sending'/,
    dies: 'after commit',
  },
  {
    name: 'integrations: sent, not settled',
    service: 'integrations',
    statement: /nextval\('deliveries_outcome_id_seq'\)/,
    dies: 'before statement',
  },
  {
    name: 'integrations: settled, not committed',
    service: 'integrations',
    statement: /nextval\('deliveries_outcome_id_seq'\)/,
    dies: 'before commit',
  },
  {
    name: 'integrations: settled and claimed, not sent',
    service: 'integrations',
    statement: /nextval\('deliveries_outcome_id_seq'\)/,
    dies: 'after commit',
  },
];
