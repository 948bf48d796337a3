/** Whose access is looked at, and where. */
export interface AccessSearch {
  q?: string;
  /** The id of a user or a service account. */
  of?: number;
  project?: string;
  environment?: string;
}

export function parseAccessSearch({ q, of: id, project, environment }: Record<string, unknown>): AccessSearch {
  return {
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(Number.isInteger(Number(id)) && Number(id) > 0 && { of: Number(id) }),
    ...(typeof project === 'string' && { project }),
    ...(typeof environment === 'string' && { environment }),
  };
}
