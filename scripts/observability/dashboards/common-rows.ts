import type { ServiceName } from '@yardarm/shared/contracts';
import type { Panel, Row } from './dashboard.ts';

/** Of Grafana: four scrapes at least, whatever time is shown. */
export const range = '[$__rate_interval]';

export const panel = (title: string, description: string, unit: string, expr: string, legend: string): Panel => ({
  ...{ title, description, unit },
  queries: [{ expr, legend }],
});

/** Quantiles of a histogram, by nothing else. */
export function quantiles(title: string, description: string, metric: string, selector: string): Panel {
  const buckets = `sum by (le) (rate(${metric}_bucket{${selector}}${range}))`;
  return {
    ...{ title, description, unit: 's' },
    queries: [0.5, 0.95, 0.99].map((quantile) => ({
      expr: `histogram_quantile(${quantile}, ${buckets})`,
      legend: `p${quantile * 100}`,
    })),
  };
}

/** What each process needs of the machine. */
export function processRow(service: ServiceName): Row {
  const own = `service="${service}"`;
  return {
    title: 'Processes',
    panels: [
      panel('Processes', 'Processes that answer a scrape', 'short', `sum(up{job="yardarm",${own}})`, 'up'),
      panel(
        'CPU',
        'CPU time per second of each process: a process has one core for its requests',
        'percentunit',
        `rate(process_cpu_seconds_total{${own}}${range})`,
        '{{instance}}',
      ),
      panel(
        'Memory',
        'Resident memory of each process',
        'bytes',
        `process_resident_memory_bytes{${own}}`,
        '{{instance}}',
      ),
      panel(
        'Delay of the event loop',
        'How long work waits for the process (p99)',
        's',
        `nodejs_eventloop_lag_p99_seconds{${own}}`,
        '{{instance}}',
      ),
      panel(
        'Versions',
        'How many processes run each version',
        'short',
        `count by (version) (yardarm_build_info{${own}})`,
        '{{version}}',
      ),
      panel(
        'Age of gauges',
        'How old the values of a reader are. Those that are absent from a scrape are not 0',
        's',
        `max by (reader) (yardarm_scrape_age_seconds{${own}})`,
        '{{reader}}',
      ),
    ],
  };
}

/** Requests of other services and of the gateway over NATS. */
export function requestsRow(service: ServiceName): Row {
  const own = `service="${service}"`;
  return {
    title: 'Requests over NATS',
    panels: [
      panel(
        'Requests',
        'Requests that were answered, by contract',
        'reqps',
        `sum by (contract) (rate(yardarm_bus_served_seconds_count{${own}}${range}))`,
        '{{contract}}',
      ),
      panel(
        'Errors',
        'Answers that are errors of the service or of what it needs',
        'reqps',
        `sum by (contract, outcome) (rate(yardarm_bus_served_seconds_count{${own},outcome=~"internal|unavailable|timeout"}${range}))`,
        '{{contract}} {{outcome}}',
      ),
      quantiles('Duration', 'From the arrival of a request to its answer', 'yardarm_bus_served_seconds', own),
    ],
  };
}

/** What a service with a schema does beside its requests. */
export function databaseRow(service: ServiceName): Row {
  const own = `service="${service}"`;
  return {
    title: 'Database and jobs',
    panels: [
      panel(
        'Connections',
        'Connections of all processes to Postgres, by state',
        'short',
        `sum by (state) (yardarm_db_pool_connections{${own}})`,
        '{{state}}',
      ),
      panel(
        'Waiting for a connection',
        'Statements that wait',
        'short',
        `sum(yardarm_db_pool_waiting{${own}})`,
        'waiting',
      ),
      panel(
        'Leases',
        'Holders of each lease: 1, and for `runs` one for each endpoint',
        'short',
        `sum by (lease) (yardarm_db_leases_held{${own}})`,
        '{{lease}}',
      ),
      panel(
        'Failed jobs',
        'Failed runs of the work of a lease in a minute',
        'short',
        `sum by (lease) (increase(yardarm_db_leader_failures_total{${own}}[1m]))`,
        '{{lease}}',
      ),
    ],
  };
}

/** The outbox of a service that publishes events. */
export function outboxPanels(service: ServiceName): Panel[] {
  const own = `service="${service}"`;
  return [
    panel('Outbox', 'Committed events that are not published', 'short', `max(yardarm_outbox_rows{${own}})`, 'events'),
    panel(
      'Age of the outbox',
      'Age of the oldest event that is not published',
      's',
      `max(yardarm_outbox_oldest_seconds{${own}})`,
      'oldest',
    ),
  ];
}

/** The durables of a service. */
export function consumersPanels(service: ServiceName): Panel[] {
  const own = `service="${service}"`;
  return [
    panel(
      'Lag of durables',
      'Messages that are not handled',
      'short',
      `max by (durable) (yardarm_bus_consumer_lag_messages{${own}})`,
      '{{durable}}',
    ),
    panel(
      'Dead letters',
      'Messages in an hour that can never be handled',
      'short',
      `sum by (durable) (increase(yardarm_bus_dead_letters_total{${own}}[1h]))`,
      '{{durable}}',
    ),
  ];
}
