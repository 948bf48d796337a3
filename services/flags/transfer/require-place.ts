import type { Transaction } from '@yardarm/shared/db';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { FlagsTables } from '../db/schema.ts';
import { requireOpenProject } from '../places/projects/find-project.ts';
import type { StoredProject } from '../places/projects/project.ts';
import { hasEnvironment } from './import-target.repo.ts';

/** The place that a body names, which stays until the commit. Throws `bad-data` that names what does not exist. */
export async function requirePlace(
  trx: Transaction<FlagsTables>,
  { project: id, environment }: { project: string; environment: string },
): Promise<{ project: StoredProject; environment: string }> {
  const project = await requireOpenProject(trx, id).catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === 'not-found')) throw error;
    throw unknown('project', id, 'should be a project that is not archived');
  });
  if (await hasEnvironment(trx, id, environment)) return { project, environment };
  throw unknown('environment', environment, 'should be an environment of the project');
}

function unknown(property: string, value: string, words: string): AppError {
  return new AppError('bad-data', `The .${property} property ${words}. You sent ${redactValue(value, [])}.`);
}
