import { createHash } from 'node:crypto';

/** What is known of somebody who changed a flag; nothing but the id when the accounts' events have not come yet. */
export interface KnownPerson {
  id: number;
  name: string | null;
  username: string | null;
  email: string | null;
}

/** Somebody as the admin view shows them: name, username or e-mail, in that order, or `unknown`. */
export function toPerson(person: KnownPerson): { id: number; name: string; imageUrl: string } {
  return {
    id: person.id,
    name: person.name || person.username || person.email || 'unknown',
    imageUrl: imageUrl(person.email || person.username || String(person.id)),
  };
}

/** Only a hash leaves for the image service, never the address; lower case and trimmed as that service asks. */
function imageUrl(identity: string): string {
  const hash = createHash('sha256').update(identity.trim().toLowerCase()).digest('hex');
  return `https://gravatar.com/avatar/${hash}?s=42&d=retro&r=g`;
}
