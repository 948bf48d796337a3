import { adminTokenUserId, systemUserId } from '@yardarm/shared/contracts';

/** Somebody who has created events, as the newest of them says. */
export interface Creator {
  id: number;
  username: string;
  /** The e-mail, or the username of somebody without one. */
  createdBy: string;
}

/** What to call them. All admin tokens share one id, so the name of the one used last would say too much of the others. */
export function nameOf({ id, username, createdBy }: Creator): string {
  if (id === systemUserId) return 'Yardarm system';
  if (id === adminTokenUserId) return 'Yardarm admin token';
  return username || createdBy;
}
