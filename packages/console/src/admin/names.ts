import { isolated } from '../ui/direction.ts';

interface Named {
  id: number;
  name?: string | null;
  username?: string | null;
  email?: string | null;
}

/** What a person or a service account is called, for sentences too. */
export function nameOf({ id, name, username, email }: Named): string {
  return isolated(name || username || email || `No. ${id}`);
}

/** Whether a text is in one of the names. Case does not matter. */
export function isNamed(text: string, ...names: (string | null | undefined)[]): boolean {
  const searched = text.trim().toLowerCase();
  return names.some((name) => name?.toLowerCase().includes(searched));
}
