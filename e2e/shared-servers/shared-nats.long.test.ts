// Proves that two installations on one NATS, each with its own database, never mix their data: apart with derived
// prefixes, and with one prefix the second ends with a sentence, also when both start at once or the stream is lost.
import { randomBytes } from 'node:crypto';
import { replaceStream } from '@yardarm/testing';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { type Installation, newDatabase, newDataDir, removeAll, start } from '../installations.ts';

// A start of npm start takes seconds, on a machine under load half a minute. A test makes up to six of them.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });
afterEach(removeAll);

const features = '/api/admin/projects/default/features';
const sentence =
  /^Yardarm cannot run: Another Yardarm, .* NATS_URL with YARDARM_PREFIX ".*", .*: set YARDARM_PREFIX .*$/;

async function environment(prefix?: string): Promise<Record<string, string>> {
  const shared = { DATABASE_URL: await newDatabase(), NATS_URL: inject('natsUrl') };
  return prefix === undefined ? shared : { ...shared, YARDARM_PREFIX: prefix };
}
const newPrefix = () => `t${randomBytes(6).toString('hex')}`;
const lastLine = ({ output }: Installation) => output().trim().split('\n').at(-1);

async function flagsOf(installation: Installation): Promise<string[]> {
  const { body } = await installation.call('GET', features);
  return (body as { features: { name: string }[] }).features.map(({ name }) => name).sort();
}

test('two with data folders of their own work apart on one NATS, also after a restart', async () => {
  const installations: { dataDir: string; given: Record<string, string> }[] = [];
  for (const dataDir of [newDataDir(), newDataDir()]) installations.push({ dataDir, given: await environment() });
  const open = async () => {
    const both = installations.map(({ dataDir, given }) => start(dataDir, given)) as [Installation, Installation];
    await Promise.all(both.map(({ ready }) => ready));
    return both;
  };
  const [one, other] = await open();
  const names = Array.from({ length: 16 }, (_, index) => `flag-${String(index).padStart(2, '0')}`);
  for (const name of names) expect((await one.call('POST', features, { name })).status).toBe(201);
  expect((await other.call('POST', features, { name: 'other' })).status).toBe(201);
  expect(await flagsOf(one)).toEqual(names);
  expect(await flagsOf(other)).toEqual(['other']);
  await Promise.all([one.stop(), other.stop()]);

  const again = await open();
  expect(await flagsOf(again[0])).toEqual(names);
  expect(await flagsOf(again[1])).toEqual(['other']);
});

test('with one prefix the second ends with a sentence, and the first keeps all its data', async () => {
  const prefix = newPrefix();
  const first = start(newDataDir(), await environment(prefix));
  await first.ready;
  const second = start(newDataDir(), await environment(prefix));
  expect(await second.ended).toBe(1);
  expect(lastLine(second)).toMatch(sentence);
  const names = Array.from({ length: 16 }, (_, index) => `flag-${String(index).padStart(2, '0')}`);
  for (const name of names) expect((await first.call('POST', features, { name })).status).toBe(201);
  expect(await flagsOf(first)).toEqual(names);
});

test('of two that start at once with one prefix, one becomes ready and the other ends with a sentence', async () => {
  const prefix = newPrefix();
  const environments = [await environment(prefix), await environment(prefix)];
  const both = environments.map((given) => start(newDataDir(), given));
  const ready = await Promise.allSettled(both.map((installation) => installation.ready));
  const loser = both[ready.findIndex(({ status }) => status === 'rejected')]!;
  expect(ready.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await loser.ended).toBe(1);
  expect(lastLine(loser)).toMatch(sentence);
});

test('a running one ends with a sentence when another system has made the stream anew', async () => {
  const prefix = newPrefix();
  const first = start(newDataDir(), await environment(prefix));
  await first.ready;
  const description = 'Yardarm system 0badcafe-1111-4222-8333-444455556666';
  await replaceStream(inject('natsUrl'), `${prefix}_EVENTS`, [`${prefix}.evt.>`], description);
  expect(await first.ended).toBe(1);
  expect(lastLine(first)).toMatch(sentence);
  expect(first.output()).toContain('0badcafe-1111-4222-8333-444455556666');
});
