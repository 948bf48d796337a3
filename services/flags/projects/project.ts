import { AppError, redactValue } from '@yardarm/shared/errors';
import type { Row } from '../db/rows.ts';

export type StoredProject = Row<'projects'>;

export function projectNotFound(id: string): AppError {
  return new AppError('not-found', `Could not find the project with ID ${redactValue(id, [])}.`);
}

/** Nothing is added to an archived project and nothing in it changes, so a write does not find it. */
export function projectArchived(id: string): AppError {
  return new AppError('not-found', `The project with ID ${redactValue(id, [])} is archived. Revive it first.`);
}
