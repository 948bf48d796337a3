import { isDeepStrictEqual } from 'node:util';
import type { createSegment, Segment } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { Row } from '../../db/rows.ts';

export type StoredSegment = Omit<Row<'segments'>, 'bytes'>;

export type NewSegment = z.output<typeof createSegment.input>;

/** The numbers of flags and projects whose strategies use a segment. */
export interface UseCounts {
  usedInFeatures: number;
  usedInProjects: number;
}

export interface SegmentUse {
  id: string;
  featureName: string;
  projectId: string;
  environment: string;
  strategyName: string;
}

/**
 * An event has a segment before and after in one NATS message, whose default limit is 1 MB. A tenth of it is left for
 * the descriptions and everything else in the message.
 */
export const maxSegmentBytes = 450_000;

/** The uses that the refusal of a deletion names. */
export const maxNamedUses = 10;

export function toSegment(segment: StoredSegment, { usedInFeatures, usedInProjects }: UseCounts): Segment {
  return { ...segmentEventData(segment), usedInFeatures, usedInProjects };
}

export function segmentEventData(segment: StoredSegment): Omit<Segment, keyof UseCounts> {
  const { id, name, description, project, constraints, createdBy, createdAt } = segment;
  return { id, name, description, project, constraints, createdBy, createdAt: createdAt.toISOString() };
}

export function segmentOrderingKey(id: number): string {
  return `segment:${id}`;
}

/** What differs. SDKs get the name and the constraints. Null when nothing differs. */
export function changeBetween(before: StoredSegment, after: NewSegment): { isVisible: boolean } | null {
  const hasOther = (...properties: (keyof NewSegment)[]) =>
    properties.some((property) => !isDeepStrictEqual(before[property], after[property]));
  const isVisible = hasOther('name', 'constraints');
  return isVisible || hasOther('description', 'project') ? { isVisible } : null;
}

export function requireSegmentSize({ constraints }: NewSegment): void {
  const bytes = Buffer.byteLength(JSON.stringify(constraints));
  if (bytes <= maxSegmentBytes) return;
  throw new AppError(
    'limit-exceeded',
    `The constraints of a segment may have at most ${maxSegmentBytes} bytes. You sent ${bytes}.`,
  );
}

export function segmentNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the segment with ID ${id}.`);
}

export function segmentNameExists(name: string): AppError {
  return new AppError('name-exists', `There is already a segment called ${redactValue(name, [])}.`);
}

/** Refuses the deletion with a message that names the first uses. */
export function segmentInUse({ id, name }: StoredSegment, uses: readonly SegmentUse[]): AppError {
  const named = uses
    .slice(0, maxNamedUses)
    .map((use) => `${use.id} of the flag ${use.featureName} in ${use.environment}`);
  const more = uses.length > maxNamedUses ? ' and others' : '';
  return new AppError(
    'conflict',
    `The segment ${redactValue(name, [])} with ID ${id} is in use by the strategies ${named.join(', ')}${more}.`,
  );
}

export function segmentInDefault(
  { id, name }: StoredSegment,
  { project, environment }: { project: string; environment: string },
): AppError {
  return new AppError(
    'conflict',
    `The segment ${redactValue(name, [])} with ID ${id} is in use by the default strategy of the project ${project} in ${environment}.`,
  );
}

export function segmentUsedElsewhere(projects: readonly string[], requestedProject: string): AppError {
  const sent = redactValue(requestedProject, []);
  const others = projects.join(', ');
  return new AppError(
    'bad-data',
    `The .project property cannot be ${sent}: strategies in other projects use the segment (${others}).`,
  );
}
