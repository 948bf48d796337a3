import { databaseRow, panel, processRow, requestsRow } from './common-rows.ts';
import type { Dashboard } from './dashboard.ts';

export const events: Dashboard = {
  uid: 'yardarm-events',
  title: 'Yardarm: events',
  description: 'The recorder of the log, what it missed, and searches',
  rows: [
    {
      title: 'Recorder',
      panels: [
        panel(
          'Lag',
          'Messages that are not recorded',
          'short',
          'max(yardarm_events_recorder_lag_messages)',
          'messages',
        ),
        panel('Recorders', 'Replicas that record: 1', 'short', 'sum(yardarm_events_is_leader)', 'recorders'),
        panel(
          'Missing numbers',
          'Events of a source that were lost on the way: replay its outbox',
          'short',
          'max by (source) (yardarm_events_missing_source_numbers)',
          '{{source}}',
        ),
        panel(
          'Changed log',
          '1 if the log contradicts a head that was recorded',
          'short',
          'max(yardarm_events_log_changed)',
          'changed',
        ),
        {
          title: 'Troubles',
          description: 'In an hour',
          unit: 'short',
          queries: [
            { expr: 'sum(increase(yardarm_events_missed_messages_total[1h]))', legend: 'missed messages' },
            { expr: 'sum(increase(yardarm_events_dead_letters_total[1h]))', legend: 'messages that are no events' },
            { expr: 'sum(increase(yardarm_events_head_failures_total[1h]))', legend: 'heads that were not written' },
          ],
        },
      ],
    },
    requestsRow('events'),
    databaseRow('events'),
    processRow('events'),
  ],
};
