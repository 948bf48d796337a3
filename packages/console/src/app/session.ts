import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { loginNeeded } from '../api/login-needed.ts';
import { permissionWords } from '../api/permission-words.ts';
import { meQuery } from '../api/queries.ts';
import { channel } from '../live/channel.ts';

/** Whether the API has refused the session. A page then asks for a login over what it shows. */
export function useNeedsLogin(): boolean {
  return useSyncExternalStore(loginNeeded.listen, loginNeeded.is);
}

/** Tells the other tabs whose session the cookie is now; null after a logout. */
export function announceSession(userId: number | null): void {
  channel.post({ kind: 'session', userId });
}

/**
 * Goes on with the session of `userId`. What is waiting is sent then, and everything is read again. Another user may
 * see nothing of what this tab has, so it starts anew.
 */
export async function goOnAs(queries: QueryClient, userId: number | null): Promise<void> {
  const before = queries.getQueryData(meQuery.queryKey)?.user.id;
  if (before !== undefined && before !== userId) {
    location.reload();
    return;
  }
  loginNeeded.set(userId === null);
  if (userId !== null) await (before === undefined ? queries.resetQueries() : queries.invalidateQueries());
}

/** Follows what other tabs do with the session. */
export function followSession(queries: QueryClient): () => void {
  // A page that the browser had put aside has heard nothing.
  const onShow = (event: PageTransitionEvent) => event.persisted && location.reload();
  addEventListener('pageshow', onShow);
  const stop = channel.listen((message) => {
    if (message.kind === 'session') void goOnAs(queries, message.userId);
  });
  return () => {
    removeEventListener('pageshow', onShow);
    stop();
  };
}

let knownUserId: number | undefined;

/** A read has shown whose session it is. A tab that did not hear of another user starts anew too. */
export function noteUser(userId: number): void {
  if (knownUserId !== undefined && knownUserId !== userId) location.reload();
  knownUserId = userId;
}

export interface Permission {
  permission: string;
  project?: string;
  environment?: string;
}

/** A permission that the user lacks, as a sentence for a control that is off; null when the user has it. */
export type Missing = string | null;

/** Returns a sentence if the user lacks the permission there. */
export type MissingOf = (permission: string, project?: string, environment?: string) => Missing;

/** The API decides what is permitted; this only turns controls off. The function changes with the permissions alone. */
export function useMissing(): MissingOf {
  const permissions = useQuery(meQuery).data?.permissions as Permission[] | undefined;
  return useMemo(() => missingOf(permissions ?? []), [permissions]);
}

function missingOf(granted: readonly Permission[]): MissingOf {
  return (permission, project, environment) => {
    const has = granted.some(
      (grant) =>
        grant.permission === 'ADMIN' ||
        (grant.permission === permission &&
          (grant.project === undefined || grant.project === '*' || grant.project === project) &&
          (grant.environment === undefined || grant.environment === '' || grant.environment === environment)),
    );
    if (has) return null;
    const where = [project && `in project ${project}`, environment && `for ${environment}`].filter(Boolean).join(' ');
    return `You need the permission ${permissionWords(permission)}${where && ` ${where}`}.`;
  };
}
