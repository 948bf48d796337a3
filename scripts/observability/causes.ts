import type { ServiceName } from '@yardarm/shared/contracts';
import { manyMessages } from './promises.ts';

/** What an operator has to look at, often before users notice it. */
export type Cause = {
  /** The runbook names it. */
  alert: string;
  expr: string;
  /** How long it must hold. Without it a counter has risen. */
  for?: string;
  severity: 'page' | 'ticket';
  summary: string;
} & ({ service: ServiceName; runbook?: never } | { service?: never; runbook: string });

/** The section for what each service can have. */
const ofAll = { runbook: 'docs/observability.md#runbook' };

export const causes: readonly Cause[] = [
  {
    alert: 'YardarmServiceDown',
    expr: 'sum by (service) (up{job="yardarm"}) == 0',
    // Two scrapes of 15 s and a restart.
    for: '1m',
    severity: 'page',
    summary: 'No process of {{ $labels.service }} answers',
    ...ofAll,
  },
  {
    alert: 'YardarmReplicaDown',
    expr: 'up{job="yardarm"} == 0',
    // An upgrade replaces a replica within a minute.
    for: '5m',
    severity: 'ticket',
    summary: 'A process of {{ $labels.service }} does not answer: {{ $labels.instance }}',
    ...ofAll,
  },
  {
    alert: 'YardarmNoLeader',
    // Endpoints come and go, so the lease `runs` has no fixed number of holders.
    expr: 'max by (service, lease) (yardarm_db_leases_held{lease!="runs"}) == 0',
    // A lease that its holder does not release is free after 5 s.
    for: '1m',
    severity: 'page',
    summary: 'No replica of {{ $labels.service }} holds the lease {{ $labels.lease }}',
    ...ofAll,
  },
  {
    alert: 'YardarmJobFails',
    // A failed job is repeated once a minute or more often.
    expr: 'sum by (service, lease) (increase(yardarm_db_leader_failures_total[30m])) > 5',
    severity: 'ticket',
    summary: 'The work of the lease {{ $labels.lease }} of {{ $labels.service }} fails again and again',
    ...ofAll,
  },
  {
    alert: 'YardarmOutboxOld',
    expr: 'max by (service) (yardarm_outbox_oldest_seconds) > 60',
    for: '2m',
    severity: 'ticket',
    summary: 'Committed events of {{ $labels.service }} are not published to NATS',
    ...ofAll,
  },
  {
    alert: 'YardarmConsumerLag',
    // Events of people and of deleted projects are few. That of `signals-store` has an alert of its own.
    expr: 'max by (service, durable) (yardarm_bus_consumer_lag_messages{durable!="signals-store"}) > 100',
    for: '10m',
    severity: 'ticket',
    summary: 'The durable {{ $labels.durable }} does not follow its stream',
    ...ofAll,
  },
  {
    alert: 'YardarmDeadLetters',
    expr: 'sum by (service, durable) (increase(yardarm_bus_dead_letters_total[1h])) > 0',
    severity: 'ticket',
    summary: 'A message of the durable {{ $labels.durable }} can never be handled',
    ...ofAll,
  },
  {
    alert: 'YardarmGaugesOld',
    expr: 'max by (service, reader) (yardarm_scrape_age_seconds) > 120',
    for: '3m',
    severity: 'ticket',
    summary:
      'A process of {{ $labels.service }} cannot read its gauges ({{ $labels.reader }}): alerts on them are silent',
    ...ofAll,
  },
  {
    alert: 'YardarmPoolExhausted',
    expr: 'min_over_time(yardarm_db_pool_waiting[5m]) > 0',
    severity: 'ticket',
    summary: 'Statements of {{ $labels.service }} wait for a connection all the time: {{ $labels.instance }}',
    ...ofAll,
  },
  {
    alert: 'YardarmSnapshotsOld',
    expr: 'max(yardarm_gateway_snapshot_age_seconds) > 60',
    for: '2m',
    severity: 'ticket',
    service: 'gateway',
    summary: 'A gateway serves flags that are older than a minute',
  },
  {
    alert: 'YardarmEnvironmentsMissing',
    expr: 'max(yardarm_gateway_environments_missing) > 0',
    // A start with large environments takes a minute.
    for: '5m',
    severity: 'page',
    service: 'gateway',
    summary: 'A gateway has not loaded an environment: its SDKs get 503',
  },
  {
    alert: 'YardarmRecorderLag',
    expr: `max(yardarm_events_recorder_lag_messages) > ${manyMessages}`,
    for: '5m',
    severity: 'ticket',
    service: 'events',
    summary: 'Events are published faster than they are recorded',
  },
  {
    alert: 'YardarmEventsLost',
    expr: 'max by (source) (yardarm_events_missing_source_numbers) > 0 or increase(yardarm_events_missed_messages_total[1h]) > 0',
    for: '2m',
    severity: 'page',
    service: 'events',
    summary: 'Published events are missing in the log; the outboxes still have them',
  },
  {
    alert: 'YardarmLogChanged',
    expr: 'max(yardarm_events_log_changed) > 0',
    severity: 'page',
    service: 'events',
    summary: 'The log contradicts a head that was recorded: somebody rewrote it in the database',
  },
  {
    alert: 'YardarmHeadsNotWritten',
    expr: 'increase(yardarm_events_head_failures_total[15m]) > 0',
    for: '5m',
    severity: 'ticket',
    service: 'events',
    summary: 'Heads of the log are not written, as on a full disk: a rewrite of the newest events would not be found',
  },
  {
    alert: 'YardarmRejectedEvents',
    expr: 'increase(yardarm_events_dead_letters_total[1h]) > 0',
    severity: 'ticket',
    service: 'events',
    summary: 'A message of EVENTS is no event and is kept in rejected_messages',
  },
  {
    alert: 'YardarmIntakeLag',
    expr: `max(yardarm_integrations_intake_lag_events) > ${manyMessages}`,
    for: '5m',
    severity: 'ticket',
    service: 'integrations',
    summary: 'Recorded events do not become deliveries',
  },
  {
    alert: 'YardarmDeliveriesOverdue',
    expr: 'max(yardarm_integrations_overdue_seconds) > 60',
    for: '5m',
    severity: 'ticket',
    service: 'integrations',
    summary: 'Due deliveries are not sent',
  },
  {
    alert: 'YardarmCircuitsOpen',
    expr: 'max(yardarm_integrations_paused) > 0',
    // An endpoint may restart or be upgraded.
    for: '30m',
    severity: 'ticket',
    service: 'integrations',
    summary: '{{ $value }} integrations are paused because their endpoints fail',
  },
  {
    alert: 'YardarmIntegrationDisabled',
    expr: 'sum(increase(yardarm_integrations_disabled_total[1h])) > 0',
    severity: 'ticket',
    service: 'integrations',
    summary: 'An integration was disabled: its endpoint is gone or has failed for days',
  },
  {
    alert: 'YardarmStoreLag',
    expr: `max(yardarm_signals_store_lag_messages) > ${manyMessages}`,
    for: '2m',
    severity: 'page',
    service: 'signals',
    summary: 'Accepted signals wait to be stored: a disk that NATS loses may lose them',
  },
  {
    alert: 'YardarmRunsOld',
    expr: 'max(yardarm_signals_oldest_run_seconds) > 60',
    for: '5m',
    severity: 'ticket',
    service: 'signals',
    summary: 'A run of an action set is not finished',
  },
  {
    alert: 'YardarmRejectedSignals',
    expr: 'increase(yardarm_signals_dead_letters_total[1h]) > 0',
    severity: 'ticket',
    service: 'signals',
    summary: 'A message of SIGNALS is no signal and is kept in signals_set_aside',
  },
  {
    alert: 'YardarmLoginsRefused',
    // A person mistypes a few times. Five wrong passwords in ten minutes block an account for an address.
    expr: 'sum(rate(yardarm_accounts_logins_total{outcome=~"mismatch|limited"}[10m])) > 1',
    for: '10m',
    severity: 'ticket',
    service: 'accounts',
    summary: 'More than a login per second has a wrong password: somebody guesses passwords',
  },
];
