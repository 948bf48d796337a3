import { type Missing, useMissing } from '../app/session.ts';

type ContextPermission = 'CREATE_CONTEXT_FIELD' | 'UPDATE_CONTEXT_FIELD' | 'DELETE_CONTEXT_FIELD';

/** For a context field of a project, the permission for its context is enough. */
export function useMissingForContextFields(): (permission: ContextPermission, project: string | null) => Missing {
  const missing = useMissing();
  return (permission, project) =>
    project === null ? missing(permission) : missing(permission) && missing('UPDATE_PROJECT_CONTEXT', project);
}
