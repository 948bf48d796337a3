import { readToken } from '@yardarm/shared/auth';

export type InitialTokenKind = 'admin' | 'client' | 'frontend';

/** A token that the operator gave by a setting, read so far that its secret is no longer needed. */
export interface InitialToken {
  kind: InitialTokenKind;
  name: string;
  selector: string;
  hash: string;
  /** Null for an admin token. */
  environment: string | null;
  projects: string[];
}

// Projects and environments have URL friendly names. An environment ends at the first dot, as SDKs and proxies read it.
const sdkShape = {
  pattern: /^(?<project>\*|[\w.~-]+):(?<environment>[\w~-]+)\.[^:]+$/,
  inWords: '<project or *>:<environment>.<secret>',
};

const shapes: Record<InitialTokenKind, { pattern: RegExp; inWords: string }> = {
  admin: { pattern: /^\*:\*\.[^:]+$/, inWords: '*:*.<secret>' },
  client: sdkShape,
  frontend: sdkShape,
};

/**
 * Reads the entries of one setting. Every fault is told, by the position of its entry and never with its text. Names are given by
 * position too, since nothing else in such a token may be shown; `called` is what the setting calls this kind.
 */
export function readInitialTokens(
  kind: InitialTokenKind,
  entries: readonly string[],
  called: string = kind,
): { tokens: InitialToken[]; faults: string[] } {
  const tokens: InitialToken[] = [];
  const faults: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const position = index + 1;
    const { pattern, inWords } = shapes[kind];
    const match = pattern.exec(entry);
    const presented = readToken(entry);
    if (kind !== 'admin' && entry.startsWith('[]:')) {
      faults.push(
        `entry ${position} is a token of several projects ([]), and a setting cannot say which: give one project or *, or make the token by the API`,
      );
    } else if (!match) faults.push(`entry ${position} should have the shape ${inWords}`);
    else if (!presented) {
      faults.push(`entry ${position} should be at most 500 printable ASCII characters, with its checksum intact`);
    } else {
      const { project, environment } = match.groups ?? {};
      const name = `initial ${called} token ${position}`;
      tokens.push({ kind, name, ...presented, environment: environment ?? null, projects: [project ?? '*'] });
    }
  }
  return { tokens, faults };
}
