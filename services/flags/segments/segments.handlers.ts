import { splitIntoPieces } from '@yardarm/shared/bus';
import type { Segment } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { z } from 'zod';
import type { FlagsResources } from '../resources.ts';
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

export async function* listSegments({ db }: FlagsResources): AsyncGenerator<{ segments: Segment[] }> {
  const segments = await listSegmentRows(db.kysely);
  yield* inPieces(segments.map((segment) => toSegment(segment, segment)));
}

export async function* listSegmentsOfStrategy(
  { db }: FlagsResources,
  { strategyId }: { strategyId: string },
): AsyncGenerator<{ segments: Segment[] }> {
  const isId = z.uuid().safeParse(strategyId).success;
  const segments = isId ? await findSegmentsOf(db.kysely, strategyId) : null;
  if (!segments) throw new AppError('not-found', `Could not find the strategy with ID ${redactValue(strategyId, [])}.`);
  yield* inPieces(segments.map((segment) => toSegment(segment, segment)));
}

export async function* listStrategiesOfSegment(
  { db }: FlagsResources,
  { id }: { id: number },
): AsyncGenerator<{ strategies: SegmentUse[]; changeRequestStrategies: SegmentUse[] }> {
  const uses = await listUses(db.kysely, id);
  if (uses.length === 0) {
    if (!(await findSegment(db.kysely, id))) throw segmentNotFound(id);
    yield { strategies: [], changeRequestStrategies: [] };
  }
  for (const strategies of splitIntoPieces(uses)) yield { strategies, changeRequestStrategies: [] };
}

function* inPieces(segments: readonly Segment[]): Generator<{ segments: Segment[] }> {
  if (segments.length === 0) yield { segments: [] };
  for (const piece of splitIntoPieces(segments)) yield { segments: piece };
}
