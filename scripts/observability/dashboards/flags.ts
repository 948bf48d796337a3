import { consumersPanels, databaseRow, outboxPanels, panel, processRow, requestsRow } from './common-rows.ts';
import type { Dashboard } from './dashboard.ts';

export const flags: Dashboard = {
  uid: 'yardarm-flags',
  title: 'Yardarm: flags',
  description: 'Changes of flags, their events, and the sizes of what SDKs read',
  rows: [
    requestsRow('flags'),
    { title: 'Events', panels: [...outboxPanels('flags'), ...consumersPanels('flags')] },
    {
      title: 'Sizes',
      panels: [
        panel(
          'Largest environment',
          'What SDKs read of it; ENVIRONMENT_BYTES_LIMIT bounds it',
          'bytes',
          'max(yardarm_flags_largest_environment_bytes)',
          'environment',
        ),
        panel(
          'Largest project',
          'What SDKs read of it in an environment; PROJECT_BYTES_LIMIT bounds it',
          'bytes',
          'max(yardarm_flags_largest_project_bytes)',
          'project',
        ),
        {
          title: 'Applications',
          description: 'In an hour: applications that were replaced, and events and rows of usage that were not made',
          unit: 'short',
          queries: [
            { expr: 'sum(increase(yardarm_flags_applications_replaced_total[1h]))', legend: 'replaced' },
            { expr: 'sum(increase(yardarm_flags_application_events_omitted_total[1h]))', legend: 'events omitted' },
            { expr: 'sum(increase(yardarm_flags_usage_entries_omitted_total[1h]))', legend: 'rows omitted' },
          ],
        },
        panel(
          'Epochs begun',
          'In an hour: gateways and SDKs read all again, since deletions had left many rows',
          'short',
          'sum(increase(yardarm_flags_epochs_begun_total[1h]))',
          'epochs',
        ),
      ],
    },
    databaseRow('flags'),
    processRow('flags'),
  ],
};
