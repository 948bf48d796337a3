import type {
  Environment,
  getEnvironment as getContract,
  ListedEnvironment,
  validateEnvironmentName as validateContract,
} from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { environmentExists, environmentNotFound, toEnvironment } from './environment.ts';
import { findEnvironment, findEnvironmentNames, findEnvironments } from './environments.repo.ts';

export async function listEnvironmentNames({ db }: FlagsResources): Promise<{ environments: string[] }> {
  return { environments: await findEnvironmentNames(db.kysely) };
}

export async function listEnvironments({ db }: FlagsResources): Promise<{ environments: ListedEnvironment[] }> {
  return { environments: await findEnvironments(db.kysely) };
}

export async function getEnvironment(
  { db }: FlagsResources,
  { name }: z.output<typeof getContract.input>,
): Promise<Environment> {
  const environment = await findEnvironment(db.kysely, name);
  if (environment === null) throw environmentNotFound(name);
  return toEnvironment(environment);
}

export async function validateEnvironmentName(
  { db }: FlagsResources,
  { name }: z.output<typeof validateContract.input>,
): Promise<void> {
  if ((await findEnvironment(db.kysely, name)) !== null) throw environmentExists(name);
}
