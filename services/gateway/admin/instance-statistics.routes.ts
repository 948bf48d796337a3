import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { accountsCountsSchema, countAccounts } from '@yardarm/shared/contracts/accounts';
import { type EventType, findEvents } from '@yardarm/shared/contracts/events';
import { countFlags, flagsCountsSchema } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { compatibleVersion } from '../documents/version.ts';
import { csvLine } from '../routing/csv.ts';
import { type Route, route } from '../routing/route.ts';

const path = '/api/admin/instance-admin/statistics';
const count = z.number().int().nonnegative();

const statisticsSchema = flagsCountsSchema.omit({ productionEnvironments: true }).extend({
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
  releaseTemplates: z.literal(0),
  releasePlans: z.literal(0),
});

type Statistics = z.output<typeof statisticsSchema>;

const shared = {
  method: 'get',
  tag: 'Instance Admin',
  audience: 'admin',
  permission: 'ADMIN',
  errors: ['unavailable'],
} as const;

/** The statistics of the public product's page for administrators, as JSON and as CSV. */
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
  return {
    ...counts,
    ...accounts,
    timestamp: new Date().toISOString(),
    versionOSS: compatibleVersion,
    versionEnterprise: compatibleVersion,
    licensedUsers: accounts.users,
    productionChanges: { last30, last60, last90 },
    ...{ featureExports, featureImports },
    ...{ SAMLenabled: false, OIDCenabled: false, releaseTemplates: 0, releasePlans: 0 },
  };
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
