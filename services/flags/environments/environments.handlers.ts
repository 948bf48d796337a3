import type { FlagsResources } from '../resources.ts';
import { findEnvironmentNames } from './environments.repo.ts';

export async function listEnvironmentNames({ db }: FlagsResources): Promise<{ environments: string[] }> {
  return { environments: await findEnvironmentNames(db.kysely) };
}
