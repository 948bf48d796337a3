import { z } from 'zod';
import { request } from '../contract.ts';
import { displayNameSchema, projectIdSchema, timestamp } from './fields.ts';

/** One person looks through the list. It has at most 0.12 MB, and every page of flags reads it. */
export const maxSavedViews = 50;

/** What RFC 3986 allows in a query. */
const queryText = /^(?!\?)(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i;

const example = { name: 'Stale releases', project: 'default', query: 'state=stale&type=release' };

/** The filters of a list of flags, under a name. It belongs to the user who saved it. */
export const savedViewSchema = z
  .object({
    id: z.number().int().min(1),
    name: z.string(),
    /** The project whose flags are listed; null for those of all projects. */
    project: z.string().nullable(),
    query: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'savedViewSchema', examples: [{ id: 7, ...example, createdAt: '2026-01-31T12:00:00.000Z' }] });

export type SavedView = z.infer<typeof savedViewSchema>;

const definition = {
  // It stands in a row beside the others.
  name: displayNameSchema.max(100, 'should have at most 100 characters'),
  project: projectIdSchema.nullable().default(null),
  // As long as an address that every browser and proxy takes.
  query: z
    .string()
    .max(2_000, 'should have at most 2000 characters')
    .regex(queryText, 'should be the query of an address, without "?" at its beginning'),
};

const id = z.number().int();

export const listSavedViews = request({
  name: 'accounts.saved-view.list',
  writes: false,
  summary: "The caller's saved views of flags, by name",
  input: z.object({}),
  output: z.object({ views: z.array(savedViewSchema).max(maxSavedViews) }),
  errors: ['forbidden'],
  permission: 'authenticated',
});

export const createSavedView = request({
  name: 'accounts.saved-view.create',
  writes: true,
  summary: 'Saves filters of flags under a name, for the caller alone',
  input: z.object(definition).meta({ examples: [example] }),
  output: savedViewSchema,
  errors: ['forbidden', 'name-exists', 'limit-exceeded'],
  permission: 'authenticated',
});

export const updateSavedView = request({
  name: 'accounts.saved-view.update',
  writes: true,
  summary: "Replaces one of the caller's saved views; without a project it is of all projects",
  input: z.object({ id, ...definition }).meta({ examples: [{ id: 7, ...example }] }),
  output: savedViewSchema,
  errors: ['forbidden', 'not-found', 'name-exists'],
  permission: 'authenticated',
});

export const deleteSavedView = request({
  name: 'accounts.saved-view.delete',
  writes: true,
  summary: "Deletes one of the caller's saved views",
  input: z.object({ id }),
  output: z.object({}),
  errors: ['forbidden', 'not-found'],
  permission: 'authenticated',
});
