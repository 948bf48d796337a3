import { panel, processRow, quantiles, range } from './common-rows.ts';
import type { Dashboard } from './dashboard.ts';

const requests = 'yardarm_http_request_seconds';

export const gateway: Dashboard = {
  uid: 'yardarm-gateway',
  title: 'Yardarm: gateway',
  description: 'Requests over HTTP, what the gateways hold in memory, and what they refuse',
  rows: [
    {
      title: 'Requests',
      panels: [
        panel(
          'Requests',
          'By route',
          'reqps',
          `sum by (method, path) (rate(${requests}_count${range}))`,
          '{{method}} {{path}}',
        ),
        panel(
          'Errors',
          '5xx by route: 503 when a service is away, 504 when it did not answer in time',
          'reqps',
          `sum by (path, status) (rate(${requests}_count{status=~"5.."}${range}))`,
          '{{status}} {{path}}',
        ),
        quantiles('Duration', 'From a request to its answer', requests, ''),
      ],
    },
    {
      title: 'Refusals',
      panels: [
        panel(
          '429',
          'By the limit that was exceeded',
          'reqps',
          `sum by (limit) (rate(yardarm_gateway_refused_requests_total${range}))`,
          '{{limit}}',
        ),
        panel(
          'Closed connections',
          'By reason',
          'short',
          `sum by (reason) (increase(yardarm_gateway_connections_closed_total${range}))`,
          '{{reason}}',
        ),
        {
          title: 'Memory limits',
          description: 'What gave way because a limit of memory or time was reached',
          unit: 'short',
          queries: [
            { expr: `sum(increase(yardarm_gateway_bodies_refused_total${range}))`, legend: 'bodies' },
            { expr: `sum(increase(yardarm_gateway_answers_cut_total${range}))`, legend: 'answers' },
            { expr: `sum(increase(yardarm_gateway_evaluations_stopped_total${range}))`, legend: 'evaluations' },
            { expr: `sum(increase(yardarm_gateway_usage_entries_dropped_total${range}))`, legend: 'entries of usage' },
          ],
        },
      ],
    },
    {
      title: 'Flags',
      panels: [
        panel('Age of the snapshots', 'Of the oldest gateway', 's', 'max(yardarm_gateway_snapshot_age_seconds)', 'age'),
        panel(
          'Revision of the snapshots',
          'Gateways that are current show the same',
          'short',
          'yardarm_gateway_snapshot_revision',
          '{{instance}}',
        ),
        panel(
          'Missing environments',
          'Environments whose reads are 503',
          'short',
          'yardarm_gateway_environments_missing',
          '{{instance}}',
        ),
      ],
    },
    {
      title: 'Tokens and connections',
      panels: [
        panel(
          'Look-ups of tokens',
          'By where the answer came from: all but `memory` and `unknown` ask a service',
          'reqps',
          `sum by (owner, result) (rate(yardarm_gateway_token_lookups_total${range}))`,
          '{{owner}} {{result}}',
        ),
        panel(
          'Tokens in memory',
          'At most 20,000 of each in a gateway',
          'short',
          'max by (owner, state) (yardarm_gateway_tokens_cached)',
          '{{owner}} {{state}}',
        ),
        panel(
          'Checks of unknown tokens',
          'Of addresses that sent many unknown ones',
          'reqps',
          `sum by (outcome) (rate(yardarm_gateway_token_checks_total${range}))`,
          '{{outcome}}',
        ),
        panel('Connections', 'Open connections', 'short', 'yardarm_gateway_connections', '{{instance}}'),
        {
          title: 'Streams of SDKs',
          description: 'Open streams, and those that wait for their first event',
          unit: 'short',
          queries: [
            { expr: 'sum(yardarm_gateway_sdk_streams)', legend: 'open' },
            { expr: 'sum(yardarm_gateway_sdk_streams_waiting)', legend: 'waiting' },
          ],
        },
        panel(
          'Signals',
          'Signals with a valid token and body, by outcome',
          'reqps',
          `sum by (outcome) (rate(yardarm_gateway_signals_total${range}))`,
          '{{outcome}}',
        ),
      ],
    },
    processRow('gateway'),
  ],
};
