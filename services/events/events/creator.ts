import { adminTokenUserId, systemUserId } from '@yardarm/shared/contracts';

/** A user or token that created events, with the names of its newest event. */
export interface Creator {
  id: number;
  username: string;
  /** The e-mail address of the creator, else the username. */
  createdBy: string;
}

/** The display name. All admin tokens share one id, so the name of the last one would be wrong for the others. */
export function nameOf({ id, username, createdBy }: Creator): string {
  if (id === systemUserId) return 'Yardarm system';
  if (id === adminTokenUserId) return 'Yardarm admin token';
  return username || createdBy;
}
