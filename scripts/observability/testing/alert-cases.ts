/** A series with its values in the notation of promtool: `0x4 5x10` is five times 0, then eleven times 5. */
type Series = Record<string, string>;

export interface AlertCase {
  alert: string;
  /** Series with which the alert fires at `at`. */
  firing: Series;
  /** Series with which it does not, at the same time. */
  quiet: Series;
  at: string;
  /** The time between samples, and between evaluations. */
  interval: '30s' | '5m';
  /** The labels of the firing alert, besides those of its rule. */
  labels?: Record<string, string>;
  /** What `$value` is in its summary. */
  value?: string;
}

const target = (service: string) => `job="yardarm",instance="a",service="${service}"`;

/** Requests of a path between two samples, of which `failed` of 10,000 get 503. */
function requests(path: string, method: string, failed: number): Series {
  const of = (status: string) =>
    `yardarm_http_request_seconds_count{${target('gateway')},method="${method}",path="${path}",status="${status}"}`;
  return { [of('200')]: `0+${10_000 - failed}x1000`, [of('503')]: `0+${failed}x1000` };
}

/** A budget of 0.1 %: 5 % of errors use it up within a day, 0.2 % within 15 days, and 0.05 % do not. */
const requestCases = (name: string, path: string, method: string): AlertCase[] => [
  {
    alert: `Yardarm${name}Fast`,
    at: '65m',
    interval: '30s',
    firing: requests(path, method, 500),
    quiet: requests(path, method, 20),
  },
  {
    alert: `Yardarm${name}Slow`,
    at: '7h',
    interval: '5m',
    firing: requests(path, method, 20),
    quiet: requests(path, method, 5),
  },
];

/** Late for an hour, and for a moment; late for one sample of seven hours, and never. */
const lateCases = (name: string, series: string, late: number): AlertCase[] => [
  {
    alert: `Yardarm${name}Fast`,
    at: '65m',
    interval: '30s',
    firing: { [series]: `${late}x200` },
    quiet: { [series]: `0x20 ${late}x1 0x200` },
  },
  {
    alert: `Yardarm${name}Slow`,
    at: '7h',
    interval: '5m',
    firing: { [series]: `0x30 ${late} 0x70` },
    quiet: { [series]: '0x100' },
  },
];

/** A gauge or counter of a service that is above its limit, or rises. */
function simple(
  alert: string,
  service: string,
  series: string,
  values: { firing: string; quiet: string; at?: string },
  rest: Pick<AlertCase, 'labels' | 'value'> = {},
): AlertCase {
  const [name, labels = ''] = series.split('{');
  const full = `${name}{${target(service)}${labels === '' ? '' : `,${labels.slice(0, -1)}`}}`;
  return {
    alert,
    at: values.at ?? '20m',
    interval: '30s',
    firing: { [full]: values.firing },
    quiet: { [full]: values.quiet },
    ...rest,
  };
}

const above = (high: number, low: number, at?: string) => ({
  firing: `${high}x100`,
  quiet: `${low}x100`,
  ...(at && { at }),
});
/** A counter that rises by one after ten minutes. */
const rises = { firing: '0x20 1x100', quiet: '1x120', at: '15m' };

const source = { instance: 'a', job: 'yardarm' };

export const alertCases: readonly AlertCase[] = [
  ...requestCases('SdkReads', '/api/client/features', 'get'),
  ...requestCases('Writes', '/api/admin/projects/:projectId/features', 'post'),
  ...requestCases('SignalsAccepted', '/api/signal-endpoint/:name', 'post'),
  ...lateCases('LogLate', `yardarm_outbox_oldest_seconds{${target('flags')}}`, 61),
  ...lateCases('DeliveriesLate', `yardarm_integrations_overdue_seconds{${target('integrations')}}`, 61),
  ...lateCases('SignalsLate', `yardarm_signals_oldest_run_seconds{${target('signals')}}`, 61),
  simple('YardarmServiceDown', 'flags', 'up', { firing: '1x10 0x50', quiet: '1x60' }, { labels: { service: 'flags' } }),
  simple(
    'YardarmReplicaDown',
    'flags',
    'up',
    { firing: '1x10 0x50', quiet: '1x30 0x3 1x30' },
    { labels: { ...source, service: 'flags' } },
  ),
  simple('YardarmNoLeader', 'events', 'yardarm_db_leases_held{lease="recorder"}', above(0, 1), {
    labels: { service: 'events', lease: 'recorder' },
  }),
  simple(
    'YardarmJobFails',
    'signals',
    'yardarm_db_leader_failures_total{lease="retention"}',
    { firing: '0+1x100', quiet: '0x20 3x100' },
    { labels: { service: 'signals', lease: 'retention' } },
  ),
  simple('YardarmOutboxOld', 'accounts', 'yardarm_outbox_oldest_seconds', above(61, 59), {
    labels: { service: 'accounts' },
  }),
  simple(
    'YardarmConsumerLag',
    'flags',
    'yardarm_bus_consumer_lag_messages{stream="EVENTS",durable="flags-users"}',
    above(101, 99),
    { labels: { service: 'flags', durable: 'flags-users' } },
  ),
  simple(
    'YardarmDeadLetters',
    'flags',
    'yardarm_bus_dead_letters_total{stream="EVENTS",durable="flags-users"}',
    rises,
    {
      labels: { service: 'flags', durable: 'flags-users' },
    },
  ),
  simple('YardarmGaugesOld', 'flags', 'yardarm_scrape_age_seconds{reader="outbox"}', above(121, 30), {
    labels: { service: 'flags', reader: 'outbox' },
  }),
  simple(
    'YardarmPoolExhausted',
    'flags',
    'yardarm_db_pool_waiting',
    { firing: '3x100', quiet: '3x30 0 3x100', at: '17m' },
    { labels: { ...source, service: 'flags' } },
  ),
  simple('YardarmSnapshotsOld', 'gateway', 'yardarm_gateway_snapshot_age_seconds', above(61, 20)),
  simple('YardarmEnvironmentsMissing', 'gateway', 'yardarm_gateway_environments_missing', above(1, 0)),
  simple('YardarmLogChanged', 'events', 'yardarm_events_log_changed', above(1, 0)),
  simple('YardarmRecorderLag', 'events', 'yardarm_events_recorder_lag_messages', above(10_001, 9_999)),
  simple('YardarmEventsLost', 'events', 'yardarm_events_missing_source_numbers{source="flags"}', above(1, 0), {
    labels: { source: 'flags' },
  }),
  simple(
    'YardarmHeadsNotWritten',
    'events',
    'yardarm_events_head_failures_total',
    { firing: '0+1x100', quiet: '5x100' },
    { labels: source },
  ),
  simple('YardarmRejectedEvents', 'events', 'yardarm_events_dead_letters_total', rises, { labels: source }),
  simple('YardarmIntakeLag', 'integrations', 'yardarm_integrations_intake_lag_events', above(10_001, 9_999)),
  simple('YardarmDeliveriesOverdue', 'integrations', 'yardarm_integrations_overdue_seconds', above(61, 59)),
  simple('YardarmCircuitsOpen', 'integrations', 'yardarm_integrations_paused', above(2, 0, '40m'), { value: '2' }),
  simple('YardarmIntegrationDisabled', 'integrations', 'yardarm_integrations_disabled_total', rises),
  simple('YardarmStoreLag', 'signals', 'yardarm_signals_store_lag_messages', above(10_001, 9_999)),
  simple('YardarmRunsOld', 'signals', 'yardarm_signals_oldest_run_seconds', above(61, 59)),
  simple('YardarmRejectedSignals', 'signals', 'yardarm_signals_dead_letters_total', rises, { labels: source }),
  simple('YardarmLoginsRefused', 'accounts', 'yardarm_accounts_logins_total{outcome="mismatch"}', {
    firing: '0+60x100',
    quiet: '0+15x100',
    at: '25m',
  }),
];
