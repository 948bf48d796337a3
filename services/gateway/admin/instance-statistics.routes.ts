import { createHash } from 'node:crypto';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { accountsCountsSchema, countAccounts } from '@yardarm/shared/contracts/accounts';
import { type EventType, findEvents } from '@yardarm/shared/contracts/events';
import { countFlags, flagsCountsSchema } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { compatibleVersion } from '../pages/version.ts';
import { csvLine } from '../routing/csv.ts';
import { type Route, route } from '../routing/route.ts';

const path = '/api/admin/instance-admin/statistics';
const count = z.number().int().nonnegative();

const example = {
  ...{ instanceId: '5f5b0a5e-8f5c-4a52-9d0c-6b9a3c1b9f11', timestamp: '2026-01-31T12:00:00.000Z' },
  ...{ versionOSS: compatibleVersion, versionEnterprise: compatibleVersion, users: 8, licensedUsers: 8 },
  ...{ activeUsers: { last7: 5, last30: 7, last60: 7, last90: 8 }, readOnlyUsers: 2, serviceAccounts: 3 },
  ...{ roles: 7, customRootRoles: 1, customRootRolesInUse: 1, groups: 2 },
  apiTokens: { admin: 1, client: 4, frontend: 2 },
  ...{ featureToggles: 47, archivedFeatureToggles: 12, projects: 3, environments: 2, contextFields: 7, segments: 4 },
  ...{ strategies: 8, maxEnvironmentStrategies: 3, maxConstraints: 4, maxConstraintValues: 17 },
  clientApps: [
    { range: 'allTime' as const, count: 9 },
    { range: '30d' as const, count: 6 },
    { range: '7d' as const, count: 5 },
  ],
  previousDayMetricsBucketsCount: { enabledCount: 120, variantCount: 30 },
  productionChanges: { last30: 21, last60: 34, last90: 55 },
  ...{ featureExports: 1, featureImports: 2, releaseTemplates: 0 as const, releasePlans: 0 as const },
  ...{ SAMLenabled: false as const, OIDCenabled: false as const, SCIMenabled: false as const },
  passwordAuthEnabled: true as const,
  sum: 'b023323477abb1eb145bebf3cdb30a1c2063e3edc1f7ae474ed8ed6c80de9a3b',
};

const statisticsSchema = flagsCountsSchema
  .omit({ productionEnvironments: true })
  .extend({
    ...accountsCountsSchema.shape,
    timestamp: z.iso.datetime(),
    versionOSS: z.string(),
    versionEnterprise: z.string(),
    /** There are no licences: each user counts. */
    licensedUsers: count,
    /** Events in environments of the type production. A period is absent if its events take too long to count. */
    productionChanges: z.object({ last30: count, last60: count, last90: count }).partial(),
    featureExports: count.optional(),
    featureImports: count.optional(),
    SAMLenabled: z.literal(false),
    OIDCenabled: z.literal(false),
    SCIMenabled: z.literal(false),
    passwordAuthEnabled: z.literal(true),
    releaseTemplates: z.literal(0),
    releasePlans: z.literal(0),
    /** SHA-256 of the other properties as JSON. */
    sum: z.string(),
  })
  .meta({ examples: [example] });

type Statistics = z.output<typeof statisticsSchema>;

const shared = {
  method: 'get',
  tag: 'Instance Admin',
  audience: 'admin',
  permission: 'ADMIN',
  errors: ['unavailable'],
} as const;

const licensedUsersSchema = z.object({
  seatCount: count,
  licensedUsers: z.object({ current: count, history: z.array(z.unknown()).max(0) }),
});

/** The statistics of the public product's page for administrators, as JSON and as CSV, and its count of users. */
export function instanceStatisticsRoutes(bus: Bus): Route[] {
  return [
    route({
      ...shared,
      path,
      operationId: 'getInstanceAdminStats',
      answerName: 'instanceAdminStatsSchema',
      summary: 'How many users, flags, projects and other things this system has, and how much they are used',
      answer: { status: 200, schema: statisticsSchema },
      handle: async ({ context }) => ({ status: 200, body: await readStatistics(bus, context) }),
    }),
    route({
      ...shared,
      path: `${path}/csv`,
      operationId: 'getInstanceAdminStatsCsv',
      summary: 'The same as CSV: a line of names, and a line of values',
      answer: { status: 200, mediaType: 'text/csv' },
      async handle({ context }) {
        const headers = {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="instance-statistics.csv"',
        };
        return { status: 200, body: Buffer.from(toCsv(await readStatistics(bus, context))), headers };
      },
    }),
    route({
      ...shared,
      path: '/api/admin/licensed-users',
      operationId: 'getAllLicensedUsers',
      answerName: 'licensedUsersSchema',
      summary: 'How many users there are. There are no licences, so each has a seat; earlier numbers are not kept',
      answer: {
        status: 200,
        schema: licensedUsersSchema.meta({
          examples: [{ seatCount: 8, licensedUsers: { current: 8, history: [] } }],
        }),
      },
      async handle({ context }) {
        const { users } = await bus.request(countAccounts, {}, context);
        return { status: 200, body: { seatCount: users, licensedUsers: { current: users, history: [] } } };
      },
    }),
  ];
}

async function readStatistics(bus: Bus, context: RequestContext): Promise<Statistics> {
  const [flags, accounts] = await Promise.all([
    bus.request(countFlags, {}, context),
    bus.request(countAccounts, {}, context),
  ]);
  const { productionEnvironments: environments, ...counts } = flags;
  const changes = (days: number) =>
    environments.length === 0 ? 0 : countEvents(bus, { environments, from: daysAgo(days) }, context);
  const ofType = (type: EventType) => countEvents(bus, { types: [type] }, context);
  const [last30, last60, last90, featureExports, featureImports] = await Promise.all([
    ...[changes(30), changes(60), changes(90)],
    ...[ofType('features-exported'), ofType('features-imported')],
  ]);
  const statistics: Omit<Statistics, 'sum'> = {
    ...counts,
    ...accounts,
    timestamp: new Date().toISOString(),
    versionOSS: compatibleVersion,
    versionEnterprise: compatibleVersion,
    licensedUsers: accounts.users,
    productionChanges: { last30, last60, last90 },
    ...{ featureExports, featureImports },
    ...{ SAMLenabled: false, OIDCenabled: false, SCIMenabled: false, passwordAuthEnabled: true },
    ...{ releaseTemplates: 0, releasePlans: 0 },
  };
  return { ...statistics, sum: createHash('sha256').update(JSON.stringify(statistics)).digest('hex') };
}

/** The number of events. Undefined where events refuses the search, because it would take too long. */
async function countEvents(
  bus: Bus,
  filters: z.input<typeof findEvents.input>,
  context: RequestContext,
): Promise<number | undefined> {
  try {
    return (await bus.request(findEvents, { ...filters, limit: 1 }, context)).total;
  } catch (error) {
    if (error instanceof AppError && error.code === 'bad-data') return undefined;
    throw error;
  }
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

/** The parts of an object are columns of their own: `activeUsers.last7`. */
function toCsv(statistics: Statistics): string {
  const cells = Object.entries(statistics).flatMap(([name, value]) => cellsOf(name, value));
  return [cells.map(([name]) => name), cells.map(([, value]) => value)].map(csvLine).join('');
}

function cellsOf(name: string, value: unknown): [string, string | number | null][] {
  if (Array.isArray(value)) return value.map(({ range, count }) => [`${name}.${range}`, count]);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([part, each]) => cellsOf(`${name}.${part}`, each));
  return [[name, typeof value === 'number' ? value : value === undefined ? null : String(value)]];
}
