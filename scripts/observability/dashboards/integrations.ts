import { databaseRow, outboxPanels, panel, processRow, range, requestsRow } from './common-rows.ts';
import type { Dashboard } from './dashboard.ts';

export const integrations: Dashboard = {
  uid: 'yardarm-integrations',
  title: 'Yardarm: integrations',
  description: 'Deliveries of events to endpoints, by provider',
  rows: [
    {
      title: 'Deliveries',
      panels: [
        panel(
          'Unfinished deliveries',
          'Waiting ones are to be retried: their endpoints fail',
          'short',
          'max by (state) (yardarm_integrations_unfinished_deliveries)',
          '{{state}}',
        ),
        panel(
          'Overdue',
          'How long the first due delivery has been due',
          's',
          'max(yardarm_integrations_overdue_seconds)',
          'overdue',
        ),
        {
          title: 'Intake',
          description: 'Events of the log that are not deliveries yet, and those of replays',
          unit: 'short',
          queries: [
            { expr: 'max(yardarm_integrations_intake_lag_events)', legend: 'intake' },
            { expr: 'max(yardarm_integrations_missed_events)', legend: 'replays' },
          ],
        },
        panel(
          'Settled attempts',
          'What the deliveries became, by provider',
          'reqps',
          `sum by (provider, state) (rate(yardarm_integrations_settled_deliveries_total${range}))`,
          '{{provider}} {{state}}',
        ),
        panel(
          'Duration of attempts',
          'p99 by provider',
          's',
          `histogram_quantile(0.99, sum by (le, provider) (rate(yardarm_integrations_attempt_seconds_bucket${range})))`,
          '{{provider}}',
        ),
        panel(
          'Sends in flight',
          'To endpoints that answer within a second, and to the others; a process has at most 256 of each',
          'short',
          'max by (pool) (yardarm_integrations_sends_in_flight)',
          '{{pool}}',
        ),
        panel(
          'Bytes held by sends',
          'As the process estimates them, by the same pools; new sends wait from 128 MB of each on',
          'bytes',
          'max by (pool) (yardarm_integrations_held_bytes)',
          '{{pool}}',
        ),
        {
          title: 'Given up',
          description:
            'Deliveries that were given up and integrations that were disabled in an hour, and those that are paused now',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (provider) (increase(yardarm_integrations_gave_up_deliveries_total[1h]))',
              legend: '{{provider}} given up',
            },
            { expr: 'sum(increase(yardarm_integrations_disabled_total[1h]))', legend: 'disabled' },
            { expr: 'max(yardarm_integrations_paused)', legend: 'paused' },
          ],
        },
      ],
    },
    { title: 'Events', panels: outboxPanels('integrations') },
    requestsRow('integrations'),
    databaseRow('integrations'),
    processRow('integrations'),
  ],
};
