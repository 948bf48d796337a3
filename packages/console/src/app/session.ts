import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { meQuery } from '../api/queries.ts';
import { channel } from '../live/channel.ts';

/** Whether the API has refused the session. A page then asks for a login over what it shows. */
let needsLogin = false;
const listeners = new Set<() => void>();

export function setNeedsLogin(value: boolean): void {
  if (needsLogin === value) return;
  needsLogin = value;
  for (const listener of listeners) listener();
}

export function useNeedsLogin(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => needsLogin,
  );
}

/** Tells the other tabs that the cookie is that of another session. */
export function announceSession(): void {
  channel.post({ kind: 'session-changed' });
}

export interface Permission {
  permission: string;
  project?: string;
  environment?: string;
}

/** A permission that the user lacks, as a sentence for a control that is off; null when the user has it. */
export type Missing = string | null;

/**
 * Tells which permission the user lacks. The API decides; this only turns controls off.
 */
export function useMissing(): (permission: string, project?: string, environment?: string) => Missing {
  const { data } = useQuery(meQuery);
  const granted = (data?.permissions ?? []) as Permission[];
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
    return `You need the permission ${permission}${where && ` ${where}`}.`;
  };
}
