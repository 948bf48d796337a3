import type { reportUsage as contract, UsageRow } from '@yardarm/shared/contracts/flags';
import { isForeignKeyViolation } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { FlagsResources } from '../resources.ts';
import { deferLastUses, deleteOldBatches, insertBatch, type LastUse } from './usage.repo.ts';

/** A flag can be deleted during a report. More than a few in a row cannot. */
const maxAttempts = 4;

/** It is no change of a flag: it raises no version and no revision, and emits no event. */
export async function reportUsage(
  { db }: FlagsResources,
  { batchId, rows }: z.output<typeof contract.input>,
): Promise<void> {
  const uses = lastUses(rows);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(async (trx) => {
        if (!(await insertBatch(trx, batchId))) return;
        deleteOldBatches(trx);
        deferLastUses(trx, uses);
      });
    } catch (error) {
      if (!isForeignKeyViolation(error) || attempt === maxAttempts) throw error;
    }
  }
}

/** The last use of each flag in each environment. A row without any evaluation is none. */
export function lastUses(rows: readonly UsageRow[]): LastUse[] {
  const uses = new Map<string, LastUse>();
  for (const { environment, featureName, yes, no, lastMoment: text } of rows) {
    if (yes + no === 0) continue;
    const key = JSON.stringify([featureName, environment]);
    const lastMoment = new Date(text);
    const known = uses.get(key);
    if (!known || known.lastMoment < lastMoment) uses.set(key, { featureName, environment, lastMoment });
  }
  return [...uses.values()];
}
