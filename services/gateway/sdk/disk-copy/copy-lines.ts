import { createHash } from 'node:crypto';
import { resolvedTokenSchema } from '@yardarm/shared/contracts/accounts';
import { fetchSnapshot } from '@yardarm/shared/contracts/flags';
import { defaultSettings, type SystemSettings, systemSettingsSchema } from '@yardarm/shared/contracts/settings';
import { z } from 'zod';
import type { ConfirmedToken } from '../../auth/tokens.ts';
import { EnvironmentSnapshot } from '../snapshots/environment-snapshot.ts';
import type { SnapshotChange } from '../snapshots/joined-change.ts';
import type { ReadSnapshot } from '../snapshots/snapshots.ts';

/** What SDKs read, the tokens with which they read it, and the settings. */
export interface CopyContents {
  tokens: readonly ConfirmedToken[];
  environments: readonly ReadSnapshot[];
  settings: SystemSettings;
}

/** A token in the copy. It has no text that its owner chose, and no secret but the hash. */
const diskCopyTokenSchema = resolvedTokenSchema.pick({
  ...{ id: true, kind: true, selector: true, hash: true, expiresAt: true, environment: true, projects: true },
});

/**
 * Of the lines, and of the contracts whose data they have. With another contract a stored flag might lack a field, and
 * flags would send it only when the flag changes.
 */
const version = `1-${hashOf(diskCopyTokenSchema, fetchSnapshot.output, systemSettingsSchema)}`;

/**
 * Of the release before, which hashed also the names and examples of the schemas. Its contracts have the same data. It
 * goes with the next release.
 */
const earlierVersion = '1-4e6c2c9c51582aa5';

type TokenLine = { token: z.output<typeof diskCopyTokenSchema>; confirmedAt: number };

type ChangedFlag = SnapshotChange['changed'][number];
type ChangedSegment = SnapshotChange['changedSegments'][number];

type Line =
  | { version: string }
  | { settings: SystemSettings }
  | TokenLine
  | { environment: string; epoch: string; revisions: Record<string, number>; readAt: number }
  | { flag: ChangedFlag['feature']; tags: string[] }
  | { segment: Omit<ChangedSegment, 'project'>; projects: string[] };

/**
 * The lines of the copy: the version, the settings, the tokens, and each environment followed by its flags and
 * segments. The bytes of a flag are written as the snapshot has them. An environment that does not fit the limit is
 * left out, and named in `leftOut`.
 */
export function* toLines(contents: CopyContents, limitBytes: number, leftOut: string[]): Generator<Buffer> {
  let free = limitBytes;
  const counted = (line: Buffer): Buffer => {
    free -= line.length;
    return line;
  };
  yield counted(toLine({ version }));
  yield counted(toLine({ settings: contents.settings }));
  for (const { token, confirmedAt } of contents.tokens)
    yield counted(toLine({ token: diskCopyTokenSchema.parse(token), confirmedAt }));
  for (const { snapshot, readAt } of contents.environments) {
    const { epoch, revisions, flags, segments } = snapshot.contents();
    const lines = [
      toLine({ environment: snapshot.environment, epoch, revisions: { ...revisions }, readAt }),
      ...flags.map(({ bytes, tags }) => withBytes('flag', bytes, { tags })),
      ...segments.map(({ bytes, projects }) => withBytes('segment', bytes, { projects })),
    ];
    if (lines.reduce((length, line) => length + line.length, 0) > free) leftOut.push(snapshot.environment);
    else for (const line of lines) yield counted(line);
  }
}

/** Throws an error that says why the lines cannot be used. */
export function fromLines(lines: Iterable<string>): CopyContents {
  const tokens: ConfirmedToken[] = [];
  const environments: (ReadSnapshot & { change: Change })[] = [];
  let settings = defaultSettings;
  let isVersionRead = false;
  for (const text of lines) {
    const line: Line = JSON.parse(text);
    if ('version' in line) {
      if (line.version !== version && line.version !== earlierVersion)
        throw new Error(`it has version ${line.version} instead of ${version}`);
      isVersionRead = true;
    } else if (!isVersionRead) throw new Error('it has no version');
    else if ('settings' in line) settings = line.settings;
    else if ('token' in line) tokens.push(toConfirmedToken(line));
    else if ('environment' in line) {
      const { environment, epoch, revisions, readAt } = line;
      const change: Change = { ...emptyChange(), epoch, revisions };
      environments.push({ snapshot: new EnvironmentSnapshot(environment), readAt, change });
    } else {
      const { change } = environments.at(-1)!;
      if ('flag' in line) change.changed.push({ feature: line.flag, tags: line.tags.map(toTag) });
      else for (const project of line.projects) change.changedSegments.push({ ...line.segment, project });
    }
  }
  for (const { snapshot, change } of environments) snapshot.apply(change);
  return { tokens, environments: environments.map(({ snapshot, readAt }) => ({ snapshot, readAt })), settings };
}

type Change = SnapshotChange & { changed: ChangedFlag[]; changedSegments: ChangedSegment[] };

function emptyChange(): Pick<Change, 'isWhole' | 'changed' | 'removed' | 'changedSegments' | 'removedSegments'> {
  return { isWhole: true, changed: [], removed: [], changedSegments: [], removedSegments: [] };
}

function toConfirmedToken({ token, confirmedAt }: TokenLine): ConfirmedToken {
  return { token: { ...token, name: '', actor: null, mustChangePassword: false }, confirmedAt };
}

/** A snapshot has a tag as `type:value`. No type has a colon. */
function toTag(text: string): ChangedFlag['tags'][number] {
  const end = text.indexOf(':');
  return { type: text.slice(0, end), value: text.slice(end + 1) };
}

/** The bytes are JSON without a line break: `JSON.stringify` made them. */
function withBytes(name: string, bytes: Buffer, more: object): Buffer {
  return Buffer.concat([Buffer.from(`{"${name}":`), bytes, Buffer.from(`,${JSON.stringify(more).slice(1)}\n`)]);
}

function toLine(line: Line): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

/** Of the types alone. Names and examples, which the documents have, do not change the data. */
function hashOf(...schemas: z.ZodType[]): string {
  const options = { unrepresentable: 'any', metadata: z.registry<{ id?: string }>() } as const;
  const texts = schemas.map((schema) => JSON.stringify(z.toJSONSchema(schema, options)));
  return createHash('sha256').update(texts.join()).digest('hex').slice(0, 16);
}
