import type { ServiceName } from '@yardarm/shared/contracts';

/**
 * A moment between two lasting effects of a service. Each such moment has a statement to Postgres, so that the services
 * need no hooks. The process dies before the statement is sent, or before or after the commit of its transaction. A
 * statement outside of a transaction commits when it is answered; "before commit" is then right after it is sent.
 */
export interface CrashPoint {
  name: string;
  service: ServiceName;
  statement: RegExp;
  dies: 'before statement' | 'before commit' | 'after commit';
  /** The process dies only if this statement of the same transaction has returned rows. */
  needsRowsOf?: RegExp;
}

/** Most claims find nothing due. */
const claim = /update deliveries d set state = 'sending'/;

/** All crash points. A run that does not reach every one of them fails. */
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
  { name: 'events: recorded, not hinted', service: 'events', statement: /insert into events /, dies: 'after commit' },
  {
    name: 'integrations: read, not inserted',
    service: 'integrations',
    statement: /insert into deliveries /,
    dies: 'before statement',
  },
  {
    name: 'integrations: inserted, not committed',
    service: 'integrations',
    statement: /insert into deliveries /,
    dies: 'before commit',
  },
  {
    name: 'integrations: committed, not claimed',
    service: 'integrations',
    statement: /insert into deliveries /,
    dies: 'after commit',
  },
  {
    name: 'integrations: claimed, not committed',
    service: 'integrations',
    statement: claim,
    dies: 'before commit',
    needsRowsOf: claim,
  },
  {
    name: 'integrations: claimed, not sent',
    service: 'integrations',
    statement: claim,
    dies: 'after commit',
    needsRowsOf: claim,
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
    needsRowsOf: claim,
  },
];

/** Those of signals and the runs of action sets. A set has two actions, so that a run has a step in between. */
export const signalCrashPoints: readonly CrashPoint[] = [
  {
    name: 'signals: stored, not acknowledged',
    service: 'signals',
    statement: /insert into signals /,
    dies: 'after commit',
  },
  {
    name: 'signals: taken, not committed',
    service: 'signals',
    statement: /insert into action_runs /,
    dies: 'before commit',
  },
  {
    name: 'signals: taken, no step started',
    service: 'signals',
    statement: /insert into action_runs /,
    dies: 'after commit',
  },
  {
    name: 'signals: step started, not committed',
    service: 'signals',
    statement: /update run_steps set state = 'started'/,
    dies: 'before commit',
  },
  {
    name: 'signals: step started, not called',
    service: 'signals',
    statement: /update run_steps set state = 'started'/,
    dies: 'after commit',
  },
  { name: 'flags: step done, not committed', service: 'flags', statement: /insert into steps /, dies: 'before commit' },
  { name: 'flags: step done, not answered', service: 'flags', statement: /insert into steps /, dies: 'after commit' },
  {
    name: 'signals: step called, not recorded',
    service: 'signals',
    statement: /update run_steps set state = \$/,
    dies: 'before statement',
  },
  {
    name: 'signals: step recorded, not committed',
    service: 'signals',
    statement: /update run_steps set state = \$/,
    dies: 'before commit',
  },
  {
    name: 'signals: step recorded, the next one not started',
    service: 'signals',
    statement: /update run_steps set state = \$/,
    dies: 'after commit',
  },
];
