import { featureSchema } from '@yardarm/shared/contracts/flags';

/** What a route that answers one flag declares: the flag's version is the ETag. */
export const versioned = { answer: featureSchema, etag: 'version' } as const;

/** The header from which a change takes the versions that it expects. */
export const ifMatch = {
  header: 'if-match',
  description: 'The ETags of the versions that may be changed; any version without this header',
  read: expectedVersions,
};

/** The versions in an If-Match; undefined for any. A weak or foreign ETag is no version, and no flag has it. */
export function expectedVersions(header: string | undefined): number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = header.split(',').map((tag) => /^"(\d{1,15})"$/.exec(tag.trim())?.[1]);
  return tags.flatMap((version) => (version === undefined ? [] : Number(version)));
}
