import { objective, sdkPaths, serviceLevels, signalPaths, writePaths } from '../promises.ts';
import { panel, quantiles, range } from './common-rows.ts';
import type { Dashboard, Panel, Row } from './dashboard.ts';

const requests = 'yardarm_http_request_seconds';

const kinds = [
  { name: 'SDK reads', selector: sdkPaths },
  { name: 'Writes', selector: writePaths },
  { name: 'Signals', selector: signalPaths },
];

const budgets: Panel[] = serviceLevels.map(({ name, record, broken }) => ({
  title: `${name}: burn rate`,
  description: `At 1 the budget of 30 days lasts 30 days. It counts when ${broken}. Over the last hour`,
  unit: 'short',
  isStat: true,
  queries: [{ expr: `yardarm:${record}:ratio1h / ${Number((1 - objective).toFixed(6))}`, legend: name }],
}));

const traffic: Row = {
  title: 'Traffic',
  panels: [
    {
      title: 'Requests',
      description: 'Requests to the gateways, by kind',
      unit: 'reqps',
      queries: kinds.map(({ name, selector }) => ({
        expr: `sum(rate(${requests}_count{${selector}}${range}))`,
        legend: name,
      })),
    },
    panel(
      'Changes over NATS',
      'Requests that a service answered',
      'reqps',
      `sum by (service) (rate(yardarm_bus_served_seconds_count${range}))`,
      '{{service}}',
    ),
    panel(
      'Attempts of deliveries',
      'Requests to endpoints of integrations, by result',
      'reqps',
      `sum by (state) (rate(yardarm_integrations_attempt_seconds_count${range}))`,
      '{{state}}',
    ),
  ],
};

const errors: Row = {
  title: 'Errors',
  panels: [
    {
      title: '5xx',
      description: 'The part of requests that got 5xx, by kind',
      unit: 'percentunit',
      queries: kinds.map(({ name, selector }) => ({
        expr: `sum(rate(${requests}_count{${selector},status=~"5.."}${range})) / sum(rate(${requests}_count{${selector}}${range}))`,
        legend: name,
      })),
    },
    panel(
      '429',
      'Requests that exceeded a limit, by limit',
      'reqps',
      `sum by (limit) (rate(yardarm_gateway_refused_requests_total${range}))`,
      '{{limit}}',
    ),
    panel(
      'Errors over NATS',
      'Answers that are errors of a service or of what it needs',
      'reqps',
      `sum by (service, outcome) (rate(yardarm_bus_served_seconds_count{outcome=~"internal|unavailable|timeout"}${range}))`,
      '{{service}} {{outcome}}',
    ),
  ],
};

const latency: Row = {
  title: 'Latency',
  panels: kinds.map(({ name, selector }) =>
    quantiles(name, 'From a request to its answer in the gateway', requests, selector),
  ),
};

const saturation: Row = {
  title: 'Saturation',
  panels: [
    panel(
      'CPU',
      'CPU time per second of the busiest process: a process has one core for its requests',
      'percentunit',
      `max by (service) (rate(process_cpu_seconds_total{job="yardarm"}${range}))`,
      '{{service}}',
    ),
    panel(
      'Memory',
      'Resident memory of the largest process',
      'bytes',
      'max by (service) (process_resident_memory_bytes{job="yardarm"})',
      '{{service}}',
    ),
    panel(
      'Waiting for Postgres',
      'Statements that wait for a connection',
      'short',
      'sum by (service) (yardarm_db_pool_waiting)',
      '{{service}}',
    ),
    {
      title: 'Lag in messages',
      description: 'Work that waits, over all replicas',
      unit: 'short',
      queries: [
        { expr: 'max(yardarm_events_recorder_lag_messages)', legend: 'recorder' },
        { expr: 'max(yardarm_integrations_intake_lag_events)', legend: 'intake' },
        { expr: 'max(yardarm_signals_store_lag_messages)', legend: 'signals' },
        { expr: 'max by (durable) (yardarm_bus_consumer_lag_messages)', legend: '{{durable}}' },
      ],
    },
    {
      title: 'Lag in seconds',
      description: 'Age of the oldest work that waits',
      unit: 's',
      queries: [
        { expr: 'max by (service) (yardarm_outbox_oldest_seconds)', legend: 'outbox of {{service}}' },
        { expr: 'max(yardarm_integrations_overdue_seconds)', legend: 'deliveries' },
        { expr: 'max(yardarm_signals_oldest_run_seconds)', legend: 'runs' },
        { expr: 'max(yardarm_gateway_snapshot_age_seconds)', legend: 'snapshots' },
      ],
    },
    panel(
      'Leases without a holder',
      'Jobs that no replica does',
      'short',
      'count by (service) (max by (service, lease) (yardarm_db_leases_held{lease!="runs"}) == 0)',
      '{{service}}',
    ),
  ],
};

export const overview: Dashboard = {
  uid: 'yardarm-overview',
  title: 'Yardarm: overview',
  description: 'The promises and the four golden signals of the whole system',
  rows: [{ title: 'Promises', panels: budgets }, traffic, errors, latency, saturation],
};
