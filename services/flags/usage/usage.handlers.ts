import {
  maxUsageHours,
  type getUsageSummary as summaryContract,
  type UnknownFlag,
  type UsageOfFeature,
} from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { findFeatureNames } from '../features/features.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { findUnknownFlags, findUsageOfFeature, findUsageSummary } from './usage-views.repo.ts';

/** Two days of a hundred applications in two environments, about 2 MB. A console draws no more. */
const maxRows = 10_000;
/** The limit of the public product. */
const maxUnknownFlags = 1_000;

export async function getUsageSummary(
  { db }: FlagsResources,
  { name }: { name: string },
): Promise<z.output<typeof summaryContract.output>> {
  const summary = await findUsageSummary(db.kysely, name);
  if (!summary) throw flagNotFound(name);
  return { maturity: 'stable', ...summary };
}

export async function listUsage(
  { db }: FlagsResources,
  { name, hoursBack }: { name: string; hoursBack: number },
): Promise<{ maturity: 'stable'; data: UsageOfFeature[] }> {
  const unit = hoursBack <= maxUsageHours ? 'hour' : 'day';
  const rows = await findUsageOfFeature(db.kysely, { name, hoursBack, unit }, maxRows);
  if (rows.length === 0 && (await findFeatureNames(db.kysely, [name])).size === 0) throw flagNotFound(name);
  return { maturity: 'stable', data: rows.map((row) => ({ ...row, timestamp: row.timestamp.toISOString() })) };
}

export async function listUnknownFlags({ db }: FlagsResources): Promise<{ unknownFlags: UnknownFlag[] }> {
  return { unknownFlags: await findUnknownFlags(db.kysely, maxUnknownFlags) };
}

function flagNotFound(name: string): AppError {
  return new AppError('not-found', `Could not find the feature with name ${redactValue(name, [])}.`);
}
