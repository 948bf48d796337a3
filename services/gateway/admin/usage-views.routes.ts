import type { Bus } from '@yardarm/shared/bus';
import * as flags from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';
import { wholeNumber } from '../routing/wire.ts';

const usage = '/api/admin/client-metrics/features/:name';
const metrics = '/api/admin/metrics';
const applications = `${metrics}/applications`;

const { query, sortBy, sortOrder } = flags.listApplications.input.shape;
const pageOf = (limit: number) =>
  z.object({
    ...{ query, sortBy, sortOrder },
    offset: wholeNumber(0, 1_000_000).default(0),
    limit: wholeNumber(1, 1000).default(limit),
  });

/** What administrators see of the reports of SDKs. */
export function usageViewRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Metrics' });
  return [
    admin.get(usage, 'getFeatureUsageSummary', flags.getUsageSummary, { version: 1 }),
    admin.get(`${usage}/raw`, 'getRawFeatureMetrics', flags.listUsage, {
      version: 1,
      query: z.object({ hoursBack: wholeNumber(1, flags.maxUsageHoursBack).default(flags.maxUsageHours) }),
    }),
    admin.get(applications, 'getApplications', flags.listApplications, { query: pageOf(1000) }),
    admin.get(`${applications}/:appName`, 'getApplication', flags.getApplicationDetail),
    admin.post(`${applications}/:appName`, 'createApplication', flags.describeApplication, { status: 202 }),
    admin.delete(`${applications}/:appName`, 'deleteApplication', flags.deleteApplication),
    admin.get(`${applications}/:appName/overview`, 'getApplicationOverview', flags.getApplicationOverview),
    admin.get(
      `${metrics}/instances/:appName/environment/:environment`,
      'getApplicationEnvironmentInstances',
      flags.listApplicationInstances,
    ),
    admin.get(`${metrics}/sdks/outdated`, 'getOutdatedSdks', flags.listOutdatedSdks, {
      summary: 'The SDK versions in use of which some application uses a later major version',
      query: z.object({}),
    }),
    admin.get(`${metrics}/unknown-flags`, 'getUnknownFlags', flags.listUnknownFlags),
    admin.get('/api/admin/projects/:projectId/applications', 'getProjectApplications', flags.listProjectApplications, {
      query: pageOf(50),
    }),
    admin.get('/api/admin/projects/:projectId/sdks/outdated', 'getOutdatedProjectSdks', flags.listOutdatedSdks, {
      summary: 'The same of the applications that evaluated flags of a project',
    }),
  ];
}
