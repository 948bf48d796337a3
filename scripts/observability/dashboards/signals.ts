import { consumersPanels, databaseRow, outboxPanels, panel, processRow, range, requestsRow } from './common-rows.ts';
import type { Dashboard } from './dashboard.ts';

export const signals: Dashboard = {
  uid: 'yardarm-signals',
  title: 'Yardarm: signals',
  description: 'Signals from their acceptance to the end of their runs',
  rows: [
    {
      title: 'Signals',
      panels: [
        {
          title: 'Signals',
          description: 'Accepted by gateways, and stored',
          unit: 'reqps',
          queries: [
            { expr: `sum(rate(yardarm_gateway_signals_total{outcome="accepted"}${range}))`, legend: 'accepted' },
            { expr: `sum(rate(yardarm_signals_stored_total${range}))`, legend: 'stored' },
          ],
        },
        panel(
          'Store lag',
          'Messages that are not stored',
          'short',
          'max(yardarm_signals_store_lag_messages)',
          'messages',
        ),
        {
          title: 'Admissions',
          description: 'Admissions that gateways got, and requests that got none',
          unit: 'reqps',
          queries: [
            { expr: `sum(rate(yardarm_signals_admissions_total${range}))`, legend: 'admissions' },
            { expr: `sum(rate(yardarm_signals_refusals_total${range}))`, legend: 'refusals' },
          ],
        },
      ],
    },
    {
      title: 'Runs',
      panels: [
        panel(
          'Finished runs',
          'By state',
          'reqps',
          `sum by (state) (rate(yardarm_signals_runs_total${range}))`,
          '{{state}}',
        ),
        {
          title: 'Unfinished runs',
          description: 'Runs, signals that wait for readers, and retries of steps in a minute',
          unit: 'short',
          queries: [
            { expr: 'max(yardarm_signals_unfinished_runs)', legend: 'runs' },
            { expr: 'sum(yardarm_signals_reader_lag_messages)', legend: 'signals that wait' },
            { expr: 'sum(increase(yardarm_signals_step_retries_total[1m]))', legend: 'retries' },
          ],
        },
        panel(
          'Age of the oldest run',
          'Runs that are not finished',
          's',
          'max(yardarm_signals_oldest_run_seconds)',
          'oldest',
        ),
      ],
    },
    {
      title: 'Events',
      panels: [
        ...outboxPanels('signals'),
        ...consumersPanels('signals'),
        panel(
          'Messages that are no signals',
          'In an hour',
          'short',
          'sum(increase(yardarm_signals_dead_letters_total[1h]))',
          'messages',
        ),
      ],
    },
    requestsRow('signals'),
    databaseRow('signals'),
    processRow('signals'),
  ],
};
