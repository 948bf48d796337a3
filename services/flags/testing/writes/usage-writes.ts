import * as contracts from '@yardarm/shared/contracts/flags';
import { environment, type Write, write } from './write.ts';

const moment = '2026-01-31T12:10:00.000Z';
const sdk = { sdkVersion: 'unleash-client-node:6.12.1', strategies: ['default'], started: moment, interval: 60 };

const application = (appName: string, createdBy: string, changes: Record<string, unknown> = {}) => ({
  ...{ appName, createdBy, strategies: [], description: null, url: null, color: null, icon: null, ...changes },
});

/** What SDKs report, and what administrators say of their applications. */
export const usageWrites: readonly Write[] = [
  write(
    contracts.reportUsage,
    {
      batchId: '0199aaaa-0000-7000-8000-000000000001',
      rows: [
        {
          ...{ environment, application: 'shop', featureName: 'marked', hour: '2026-01-31T12:00:00Z', yes: 1, no: 0 },
          ...{ variants: {}, lastMoment: moment },
        },
      ],
      instances: [
        {
          ...{ environment, application: 'shop', instanceId: 'one', sdkType: 'backend', address: null },
          ...{ ...sdk, lastMoment: moment },
        },
      ],
    },
    [
      { type: 'application-created', data: application('shop', 'yardarm-system', { strategies: ['default'] }) },
      { type: 'client-register', environment, data: { appName: 'shop', instanceId: 'one', ...sdk } },
    ],
  ),
  write(contracts.describeApplication, { appName: 'crm', description: 'Customers' }, [
    { type: 'application-created', data: application('crm', 'ed', { description: 'Customers' }) },
  ]),
  write(contracts.deleteApplication, { appName: 'crm' }, []),
];
