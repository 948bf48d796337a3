import { type Missing, useMissing } from '../app/session.ts';

type SegmentPermission = 'CREATE_SEGMENT' | 'UPDATE_SEGMENT' | 'DELETE_SEGMENT';

/** For a segment of a project, the permission for its segments is enough. */
export function useMissingForSegments(): (permission: SegmentPermission, project: string | null) => Missing {
  const missing = useMissing();
  return (permission, project) =>
    project === null ? missing(permission) : missing(permission) && missing('UPDATE_PROJECT_SEGMENT', project);
}
