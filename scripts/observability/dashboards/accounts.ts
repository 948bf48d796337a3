import { consumersPanels, databaseRow, outboxPanels, panel, processRow, range, requestsRow } from './common-rows.ts';
import type { Dashboard } from './dashboard.ts';

export const accounts: Dashboard = {
  uid: 'yardarm-accounts',
  title: 'Yardarm: accounts',
  description: 'Logins, look-ups of tokens, and the events of people',
  rows: [
    {
      title: 'Logins',
      panels: [
        panel(
          'Logins',
          'By outcome',
          'reqps',
          `sum by (outcome) (rate(yardarm_accounts_logins_total${range}))`,
          '{{outcome}}',
        ),
        panel(
          'Look-ups of tokens',
          'Tokens that gateways asked for, by outcome',
          'reqps',
          `sum by (outcome) (rate(yardarm_bus_served_seconds_count{contract="accounts.token.resolve"}${range}))`,
          '{{outcome}}',
        ),
      ],
    },
    { title: 'Events', panels: [...outboxPanels('accounts'), ...consumersPanels('accounts')] },
    requestsRow('accounts'),
    databaseRow('accounts'),
    processRow('accounts'),
  ],
};
