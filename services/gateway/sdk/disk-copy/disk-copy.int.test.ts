// The file of the copy, on a real disk.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeToken } from '@yardarm/shared/auth';
import { defaultSettings, type SystemSettings } from '@yardarm/shared/contracts/settings';
import { createLogger } from '@yardarm/shared/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConfirmedToken } from '../../auth/tokens.ts';
import { changedFlag, changedSegment, scopeOf, snapshotChange } from '../../testing/snapshots.ts';
import { EnvironmentSnapshot } from '../snapshots/environment-snapshot.ts';
import type { ReadSnapshot } from '../snapshots/snapshots.ts';
import { writeCopyFile } from './copy-file.ts';
import { toLines } from './copy-lines.ts';
import { type DiskCopy, readDiskCopy, startDiskCopy } from './disk-copy.ts';

const hourMs = 3_600_000;
const made = makeToken('*:development.');
let folder: string;
let file: string;
let warnings: { reason?: string; msg: string }[];
let tokens: ConfirmedToken[];
let version: number;
let environments: ReadSnapshot[];
let settings: SystemSettings;
let copy: DiskCopy;
const destination = { write: (line: string) => void warnings.push(JSON.parse(line)) };
const log = createLogger({ service: 'test', level: 'warn', destination });

function confirmed(part: Partial<ConfirmedToken['token']> = {}): ConfirmedToken {
  const token = {
    ...{ id: 1, kind: 'client' as const, name: 'sdk', selector: made.selector, hash: made.hash, expiresAt: null },
    ...{ environment: 'development', projects: ['*'], actor: null, mustChangePassword: false },
    ...part,
  };
  return { token, confirmedAt: Date.now() - 1_000 };
}

function snapshotOf(environment: string): ReadSnapshot {
  const snapshot = new EnvironmentSnapshot(environment);
  const changed = [changedFlag('one', { segments: [3], tags: ['team:a:b'] }), changedFlag('two', { project: 'other' })];
  const changedSegments = [changedSegment(3, 'NO'), changedSegment(3, 'NO', 'other')];
  snapshot.apply(snapshotChange({ isWhole: true, revisions: { default: 4, other: 2 }, changed, changedSegments }));
  return { snapshot, readAt: Date.now() - 1_000 };
}

const read = (maxAgeMs = hourMs) => readDiskCopy(folder, maxAgeMs, log);
const nothing = { tokens: [], environments: [], settings: defaultSettings };

function start(): DiskCopy {
  return startDiskCopy({
    ...{ folder, maxAgeMs: hourMs, log },
    snapshots: { readSince: () => environments },
    tokens: { confirmed: () => tokens, version: () => version },
    settings: { current: () => settings },
  });
}

beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'yardarm-copy-')), 'data');
  file = path.join(folder, 'sdk-copy.jsonl');
  warnings = [];
  tokens = [confirmed()];
  version = 1;
  settings = defaultSettings;
  environments = [snapshotOf('development')];
  copy = start();
  tokens = tokens.map((each) => ({ ...each, confirmedAt: Date.now() }));
});
afterEach(async () => {
  await copy.drain();
  rmSync(path.dirname(folder), { recursive: true, force: true });
});

test('a drained copy has the same bytes, position and tokens, and only its owner may read it', async () => {
  await copy.drain();
  const found = await read();
  const { snapshot, readAt } = found.environments[0]!;
  const before = environments[0]!.snapshot;
  for (const format of ['separate', 'inlined'] as const) {
    const scope = scopeOf({ segmentFormat: format });
    const bytesOf = (each: EnvironmentSnapshot) =>
      each.flagsOf(scope).map((flag) => [each.bytesOf(flag, format).toString(), flag.tags]);
    expect(bytesOf(snapshot)).toEqual(bytesOf(before));
  }
  expect(snapshot.flagsOf(scopeOf({ tags: ['team:a:b'] })).map(({ name }) => name)).toEqual(['one']);
  expect([snapshot.segment(3), snapshot.known, readAt]).toEqual([
    before.segment(3),
    before.known,
    environments[0]!.readAt,
  ]);
  expect(found.tokens).toEqual([{ ...tokens[0], token: { ...tokens[0]!.token, name: '' } }]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readFileSync(file, 'utf8')).not.toContain(made.token);
  expect([readdirSync(folder), warnings]).toEqual([['sdk-copy.jsonl'], []]);
});

test('a copy that others may read is replaced by one that they may not', async () => {
  mkdirSync(folder);
  writeFileSync(file, 'open', { mode: 0o644 });
  await copy.drain();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a removed segment use stays removed in a project after a restart', async () => {
  const removedSegments = [{ id: 3, project: 'other' }];
  await copy.drain();
  const { snapshot } = (await read()).environments[0]!;
  snapshot.apply(snapshotChange({ revisions: { default: 4, other: 3 }, removedSegments }));
  expect(snapshot.segment(3)).not.toBeNull();
  snapshot.apply(
    snapshotChange({ revisions: { default: 5, other: 3 }, removedSegments: [{ id: 3, project: 'default' }] }),
  );
  expect(snapshot.segment(3)).toBeNull();
});

test('settings are kept, also without a token that is valid', async () => {
  settings = { frontendApiOrigins: ['https://app.example'], maintenanceMode: true };
  await copy.drain();
  expect((await read()).settings).toEqual(settings);
  expect(await read(0)).toEqual({ ...nothing, settings });
});

test('without a file there is no copy, and no warning', async () => {
  expect([await read(), warnings]).toEqual([nothing, []]);
});

test('a copy of the release before is read', async () => {
  const [, , ...lines] = toLines({ tokens, environments, settings }, 1_000_000, []);
  await writeCopyFile(folder, [Buffer.from('{"version":"1-4e6c2c9c51582aa5"}\n'), ...lines]);
  const found = await read();
  expect([found.tokens.length, found.environments.length, warnings]).toEqual([tokens.length, environments.length, []]);
});

test.each<[string, string, (bytes: Buffer) => Buffer]>([
  ['has another byte', 'its checksum is wrong', (bytes) => Buffer.from(bytes.toString().replace('"one"', '"won"'))],
  ['is half written', 'its checksum is wrong', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['lacks its last byte', 'its checksum is wrong', (bytes) => bytes.subarray(0, -1)],
  ['is empty', 'its checksum is wrong', () => Buffer.alloc(0)],
])('a copy that %s is ignored with a warning', async (_title, reason, damage) => {
  await copy.drain();
  writeFileSync(file, damage(readFileSync(file)));
  expect(await read()).toEqual(nothing);
  expect(warnings).toMatchObject([{ msg: 'the copy for SDKs is ignored', reason }]);
});

test.each([
  ['of another version', '{"version":"0-abc"}\n', /it has version 0-abc instead of 1-\w{16}/],
  ['without a version', '{"token":{}}\n', /it has no version/],
  ['of no JSON', 'text\n', /JSON/],
])('a copy %s is ignored with a warning', async (_title, line, reason) => {
  await writeCopyFile(folder, [Buffer.from(line)]);
  expect(await read()).toEqual(nothing);
  expect(warnings).toMatchObject([{ reason: expect.stringMatching(reason) }]);
});

test('a copy that cannot be read is ignored with a warning', async () => {
  mkdirSync(file, { recursive: true });
  expect(await read()).toEqual(nothing);
  expect(warnings).toMatchObject([{ reason: expect.stringContaining('EISDIR') }]);
});

test('a folder that cannot be written is one warning, and no error', async () => {
  writeFileSync(folder, 'a file');
  version += 1;
  await copy.write();
  await copy.write();
  expect(warnings.map(({ msg }) => msg)).toEqual(['the copy for SDKs cannot be written']);
});

test('is written when a flag, an environment or a token has changed, and else not', async () => {
  await copy.write();
  expect(() => statSync(file)).toThrow('ENOENT');
  const writes: (() => void)[] = [
    () => environments[0]!.snapshot.apply(snapshotChange({ revisions: { default: 5, other: 2 } })),
    () => environments.push(snapshotOf('production')),
    () => environments.shift(),
    () => {
      settings = { frontendApiOrigins: ['https://app.example'], maintenanceMode: true };
    },
    () => {
      tokens = [];
      version += 1;
    },
  ];
  for (const change of writes) {
    rmSync(file, { force: true });
    change();
    await copy.write();
    const bytes = readFileSync(file);
    tokens = tokens.map((each) => ({ ...each, confirmedAt: each.confirmedAt + 1 }));
    await copy.write();
    expect(readFileSync(file)).toEqual(bytes);
  }
});

test('a process that reached neither flags nor accounts does not replace what another has written', async () => {
  const other = start();
  environments[0]!.snapshot.apply(snapshotChange({ revisions: { default: 5, other: 2 } }));
  await copy.write();
  const unconnected = start();
  const bytes = readFileSync(file);
  writeFileSync(file, Buffer.concat([bytes, bytes]));
  await unconnected.drain();
  expect(readFileSync(file)).toHaveLength(2 * bytes.length);
  await other.drain();
  expect(readFileSync(file)).toEqual(bytes);
});

test('leaves out tokens and environments that are too old, and is empty without a token', async () => {
  const old = Date.now() - hourMs;
  tokens.push({ ...confirmed({ id: 2, selector: 'old' }), confirmedAt: old });
  environments.push({ ...snapshotOf('production'), readAt: old });
  await copy.drain();
  const found = await read(hourMs / 2);
  expect(found.tokens.map(({ token }) => token.id)).toEqual([1]);
  expect(found.environments.map(({ snapshot }) => snapshot.environment)).toEqual(['development']);
  expect(await read(0)).toEqual(nothing);
});

test('environments beyond the limit are left out, the last read first', () => {
  const contents = { settings, tokens, environments: [snapshotOf('first'), snapshotOf('second')] };
  const bytes = [...toLines(contents, 1_000_000, [])].reduce((sum, line) => sum + line.length, 0);
  const leftOut: string[] = [];
  const kept = [...toLines(contents, bytes - 1, leftOut)].map(String).join('');
  expect([leftOut, kept.includes('"first"'), kept.includes('"second"')]).toEqual([['second'], true, false]);
});

test('what a killed process was writing is removed at a later start', async () => {
  await copy.drain();
  const unfinished = ['old', 'new'].map((name) => `${file}.${name}`);
  for (const each of unfinished) writeFileSync(each, '');
  utimesSync(unfinished[0]!, 0, 0);
  await read();
  // Another gateway may be writing the new one.
  expect(readdirSync(folder).sort()).toEqual(['sdk-copy.jsonl', 'sdk-copy.jsonl.new']);
});
