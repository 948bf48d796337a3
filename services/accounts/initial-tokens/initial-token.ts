import { readToken } from '@yardarm/shared/auth';

export type InitialTokenKind = 'admin' | 'client' | 'frontend';

/** A token given by a setting. */
export interface InitialToken {
  kind: InitialTokenKind;
  name: string;
  selector: string;
  hash: string;
  /** The whole token. It is stored encrypted, where secrets are readable. */
  secret: string;
  /** The environment that the token reads; null for an admin token. */
  environment: string | null;
  projects: string[];
  /** Why others may know or guess the secret. */
  weakness: 'published' | 'short' | null;
}

/** Every secret that docker-compose.yml publishes has this word, except the encryption key of integrations. */
export const publishedWord = 'insecure';

/** Twenty random letters and digits have 119 bits, too many to guess. */
const minSecretCharacters = 20;

// Projects and environments have URL-friendly names. An environment ends at the first dot, as in SDKs and proxies.
const sdkShape = {
  pattern: /^(?<project>\*|[\w.~-]+):(?<environment>[\w~-]+)\.(?<secret>[^:]+)$/,
  format: '<project or *>:<environment>.<secret>',
};

const shapes: Record<InitialTokenKind, { pattern: RegExp; format: string }> = {
  admin: { pattern: /^\*:\*\.(?<secret>[^:]+)$/, format: '*:*.<secret>' },
  client: sdkShape,
  frontend: sdkShape,
};

/**
 * Parses the entries of one setting. Every problem names its entry by position and never contains its text. Tokens are
 * named by position too, since nothing else of them may be shown. `label` is the name of the kind in the setting.
 */
export function readInitialTokens(
  kind: InitialTokenKind,
  entries: readonly string[],
  label: string = kind,
): { tokens: InitialToken[]; problems: string[] } {
  const tokens: InitialToken[] = [];
  const problems: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const position = index + 1;
    const { pattern, format } = shapes[kind];
    const match = pattern.exec(entry);
    const parsed = readToken(entry);
    if (kind !== 'admin' && entry.startsWith('[]:')) {
      problems.push(
        `entry ${position} is a token of several projects ([]), and a setting cannot say which: use one project or *, or create the token through the API`,
      );
    } else if (!match) problems.push(`entry ${position} should have the shape ${format}`);
    else if (!parsed) {
      problems.push(`entry ${position} should be at most 500 printable ASCII characters, with its checksum intact`);
    } else {
      const { project, environment, secret = '' } = match.groups ?? {};
      const name = `initial ${label} token ${position}`;
      const weakness = weaknessOf(secret);
      tokens.push({
        kind,
        name,
        secret: entry,
        ...parsed,
        environment: environment ?? null,
        projects: [project ?? '*'],
        weakness,
      });
    }
  }
  return { tokens, problems };
}

function weaknessOf(secret: string): InitialToken['weakness'] {
  if (secret.includes(publishedWord)) return 'published';
  return secret.length < minSecretCharacters ? 'short' : null;
}
