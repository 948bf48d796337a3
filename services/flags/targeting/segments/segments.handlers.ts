import type { Segment } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { type SegmentUse, segmentNameExists, segmentNotFound, toSegment } from './segment.ts';
import { findSegment, findSegmentsOf, hasSegmentNamed, listSegmentRows, listUses } from './segments.repo.ts';

export async function validateSegmentName({ db }: FlagsResources, { name }: { name: string }): Promise<void> {
  if (await hasSegmentNamed(db.kysely, name)) throw segmentNameExists(name);
}

export async function getSegment({ db }: FlagsResources, { id }: { id: number }): Promise<Segment> {
  const segment = await findSegment(db.kysely, id);
  if (!segment) throw segmentNotFound(id);
  return toSegment(segment, segment);
}

export async function listSegments({ db }: FlagsResources): Promise<{ segments: Segment[] }> {
  const segments = await listSegmentRows(db.kysely);
  return { segments: segments.map((segment) => toSegment(segment, segment)) };
}

export async function listSegmentsOfStrategy(
  { db }: FlagsResources,
  { strategyId }: { strategyId: string },
): Promise<{ segments: Segment[] }> {
  const isId = z.uuid().safeParse(strategyId).success;
  const segments = isId ? await findSegmentsOf(db.kysely, strategyId) : null;
  if (!segments) throw new AppError('not-found', `Could not find the strategy with ID ${redactValue(strategyId, [])}.`);
  return { segments: segments.map((segment) => toSegment(segment, segment)) };
}

export async function listStrategiesOfSegment(
  { db }: FlagsResources,
  { id }: { id: number },
): Promise<{ strategies: SegmentUse[]; changeRequestStrategies: SegmentUse[] }> {
  const uses = await listUses(db.kysely, id);
  if (uses.length === 0 && !(await findSegment(db.kysely, id))) throw segmentNotFound(id);
  return { strategies: uses, changeRequestStrategies: [] };
}
