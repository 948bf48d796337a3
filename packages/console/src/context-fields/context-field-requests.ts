import { linkOptions } from '@tanstack/react-router';
import { api, type Schemas, write } from '../api/client.ts';

/** What a person edits of a context field. */
export type ContextFieldSettings = Pick<
  Schemas['contextFieldSchema'],
  'name' | 'description' | 'stickiness' | 'sortOrder' | 'legalValues'
>;

export function settingsOf(field: ContextFieldSettings): ContextFieldSettings {
  const { name, description, stickiness, sortOrder, legalValues } = field;
  return { name, description, stickiness, sortOrder, legalValues };
}

/** The fields of a project have routes of their own. With null, those of all projects. */
export function createContextField(projectId: string | null, body: ContextFieldSettings): Promise<unknown> {
  if (projectId === null) return write(() => api.POST('/api/admin/context', { body }));
  return write(() => api.POST('/api/admin/projects/{projectId}/context', { params: { path: { projectId } }, body }));
}

export function updateContextField(
  projectId: string | null,
  { name: contextField, ...body }: ContextFieldSettings,
): Promise<unknown> {
  if (projectId === null) {
    return write(() => api.PUT('/api/admin/context/{contextField}', { params: { path: { contextField } }, body }));
  }
  const params = { path: { projectId, contextField } };
  return write(() => api.PUT('/api/admin/projects/{projectId}/context/{contextField}', { params, body }));
}

export function deleteContextField(projectId: string | null, contextField: string): Promise<unknown> {
  if (projectId === null) {
    return write(() => api.DELETE('/api/admin/context/{contextField}', { params: { path: { contextField } } }));
  }
  const params = { path: { projectId, contextField } };
  return write(() => api.DELETE('/api/admin/projects/{projectId}/context/{contextField}', { params }));
}

/** The list that a context field is in. */
export const listOf = (projectId: string | null) =>
  projectId === null
    ? linkOptions({ to: '/context-fields' })
    : linkOptions({ to: '/projects/$projectId/context', params: { projectId } });
