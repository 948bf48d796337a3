import type { ContextField } from '@yardarm/shared/contracts/flags';
import type { Kysely } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { projectNotFound } from '../../places/projects/project.ts';
import { hasProject } from '../../places/projects/projects.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { contextFieldExists, contextFieldNotFound, toContextField } from './context-field.ts';
import { findContextField, hasContextField, listContextFieldRows } from './context-fields.repo.ts';

type Named = { name: string };
type OfProject = { projectId: string };
type Include = { include?: string | undefined };

export async function listContextFields(
  { db }: FlagsResources,
  { include }: Include,
): Promise<{ contextFields: ContextField[] }> {
  return await findContextFields(db.kysely, include === 'project' ? 'all' : 'root');
}

export async function listContextFieldsOfProject(
  { db }: FlagsResources,
  { projectId: project, include }: OfProject & Include,
): Promise<{ contextFields: ContextField[] }> {
  await requireProject(db.kysely, project);
  return await findContextFields(db.kysely, { project, withRoot: include === 'root' });
}

/** Counts the uses of the fields in the strategies of all flags. */
async function findContextFields(
  db: Kysely<FlagsTables>,
  which: Parameters<typeof listContextFieldRows>[1],
): Promise<{ contextFields: ContextField[] }> {
  const rows = await listContextFieldRows(db, which);
  return { contextFields: rows.map(toContextField) };
}

export async function getContextField({ db }: FlagsResources, { name }: Named): Promise<ContextField> {
  const field = await findContextField(db.kysely, name);
  if (!field) throw contextFieldNotFound(name);
  return toContextField(field);
}

/** Flags of the project may use its own fields and those of all projects. */
export async function getContextFieldOfProject(
  { db }: FlagsResources,
  { projectId: project, name }: OfProject & Named,
): Promise<ContextField> {
  await requireProject(db.kysely, project);
  const field = await findContextField(db.kysely, name);
  if (!field || (field.project ?? project) !== project) throw contextFieldNotFound(name, project);
  return toContextField(field);
}

export async function validateContextField({ db }: FlagsResources, { name }: Named): Promise<void> {
  if (await hasContextField(db.kysely, name)) throw contextFieldExists(name);
}

export async function validateContextFieldOfProject(
  resources: FlagsResources,
  { projectId, name }: OfProject & Named,
): Promise<void> {
  await requireProject(resources.db.kysely, projectId);
  await validateContextField(resources, { name });
}

async function requireProject(db: Kysely<FlagsTables>, project: string): Promise<void> {
  if (!(await hasProject(db, project))) throw projectNotFound(project);
}
