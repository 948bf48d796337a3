import { createHash } from 'node:crypto';

/** A person who changed a flag. Only the id is known until an event of accounts names them. */
export interface KnownPerson {
  id: number;
  name: string | null;
  username: string | null;
  email: string | null;
}

/** A person in the admin view, with the first of name, username and e-mail that is known, else `unknown`. */
export function toPerson(person: KnownPerson): { id: number; name: string; imageUrl: string } {
  return {
    id: person.id,
    name: person.name || person.username || person.email || 'unknown',
    imageUrl: imageUrl(person.email || person.username || String(person.id)),
  };
}

/** The addresses by identity. A list has few people, each with many flags. */
const imageUrls = new Map<string, string>();
/** More people than change flags in most installations. When there are more, the map starts again. */
const maxImageUrls = 1_000;

/** The image service gets only a hash of the address, trimmed and in lower case as it asks. */
function imageUrl(identity: string): string {
  const known = imageUrls.get(identity);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(identity.trim().toLowerCase()).digest('hex');
  const url = `https://gravatar.com/avatar/${hash}?s=42&d=retro&r=g`;
  if (imageUrls.size >= maxImageUrls) imageUrls.clear();
  imageUrls.set(identity, url);
  return url;
}
