import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { bytesOfFlag, bytesOfSegments, segmentsOfFlag } from '../changes/sizes.repo.ts';
import { unitBytes } from '../changes/sizes.ts';
import type { FlagsRig } from './flags-rig.ts';

interface PlaceSize {
  environment: string;
  project: string;
  bytes: number;
}

/** The stored sizes of places. */
export async function storedSizes({ db }: Pick<FlagsRig, 'db'>): Promise<PlaceSize[]> {
  const { rows } = await sql<PlaceSize>`
    select environment, project, bytes from revisions where bytes <> 0 order by environment, project`.execute(
    db.kysely,
  );
  return rows;
}

/** The same, counted anew from all flags. */
export async function countedSizes({ db }: Pick<FlagsRig, 'db'>): Promise<PlaceSize[]> {
  const { rows } = await sql<PlaceSize>`
    select environment, project, sum(bytes + ${bytesOfSegments('ids')})::bigint as bytes from (
      select environment, project, ${bytesOfFlag('present')} as bytes, ${segmentsOfFlag} as ids
      from feature_environments as present
    ) as flag
    group by environment, project having sum(bytes + ${bytesOfSegments('ids')}) <> 0
    order by environment, project`.execute(db.kysely);
  return rows;
}

/** The stored sizes of environments in units, and the sums of their places. */
export async function environmentUnits({ db }: Pick<FlagsRig, 'db'>): Promise<{ stored: object; summed: object }> {
  const { rows } = await sql<{ environment: string; units: number }>`
    select environment, units from environment_bytes where units <> 0`.execute(db.kysely);
  const summed: Record<string, number> = {};
  for (const { environment, bytes } of await storedSizes({ db })) {
    summed[environment] = (summed[environment] ?? 0) + Math.ceil(bytes / unitBytes);
  }
  return { stored: Object.fromEntries(rows.map(({ environment, units }) => [environment, units])), summed };
}

/** The bytes of an environment's flags as SDKs get them that inline segments. */
export async function listingBytes(rig: FlagsRig, environment: string): Promise<number> {
  const { changed, changedSegments } = await rig.ask(contracts.fetchSnapshot, { environment, known: null });
  const constraintsOf = new Map(changedSegments.map(({ id, constraints }) => [id, constraints]));
  const features = changed.map(({ feature, tags }) => ({
    ...{ ...feature, tags },
    strategies: feature.strategies.map(({ segments = [], constraints, ...strategy }) => ({
      ...{ ...strategy, segments },
      constraints: [...constraints, ...segments.flatMap((id) => constraintsOf.get(id) ?? [])],
    })),
  }));
  return Buffer.byteLength(JSON.stringify(features));
}
