// Proves that a second `npm start` on a database of another data folder changes nothing unless a setting lets it take
// the database over. The services' own tests show what a refused login does.
import { randomBytes } from 'node:crypto';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { newDatabase, newDataDir, removeAll, start } from '../installations.ts';

// A start of npm start takes seconds, on a machine under load half a minute. A test makes up to six of them.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });
afterEach(removeAll);

const features = '/api/admin/projects/default/features';

test('a second data folder is refused with a sentence, and takes over when told to, with the key of the first', async () => {
  const environment = { DATABASE_URL: await newDatabase(), NATS_URL: inject('natsUrl') };
  const prefixes = [1, 2].map(() => `t${randomBytes(6).toString('hex')}`);
  const [prefix, other] = prefixes as [string, string];
  const first = start(newDataDir(), { ...environment, YARDARM_PREFIX: prefix });
  await first.ready;
  expect((await first.call('POST', features, { name: 'before' })).status).toBe(201);

  const dataDir = newDataDir();
  const refused = start(dataDir, { ...environment, YARDARM_PREFIX: other });
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toMatch(
    /^Yardarm could not start: the database postgres:.* belongs to another Yardarm: .*YARDARM_TAKE_OVER_DATABASE=1.*INTEGRATIONS_ENCRYPTION_KEY.*$/m,
  );
  // New connections of the first are accepted, more than its pools have open.
  const creations = Array.from({ length: 40 }, (_, index) => first.call('POST', features, { name: `during-${index}` }));
  expect(new Set((await Promise.all(creations)).map(({ status }) => status))).toEqual(new Set([201]));

  const takingOver = { ...environment, YARDARM_PREFIX: other, YARDARM_TAKE_OVER_DATABASE: '1' };
  const withoutKey = start(dataDir, takingOver);
  expect(await withoutKey.ended).toBe(1);
  expect(withoutKey.output()).toMatch(
    /encrypted with another key.*nothing was changed; set INTEGRATIONS_ENCRYPTION_KEY/,
  );
  expect((await first.call('POST', features, { name: 'still' })).status).toBe(201);
  await first.stop();

  const key = { INTEGRATIONS_ENCRYPTION_KEY: first.encryptionKey() };
  const second = start(dataDir, { ...takingOver, ...key });
  await second.ready;
  expect((await second.call('GET', `${features}/still`)).status).toBe(200);
  expect((await second.call('POST', features, { name: 'after' })).status).toBe(201);
  await second.stop();

  // The logins have its passwords now, so that it needs the setting no longer, and the first one is refused.
  const again = start(dataDir, { ...environment, YARDARM_PREFIX: other, ...key });
  await again.ready;
  await again.stop();
  const former = start(first.dataDir, { ...environment, YARDARM_PREFIX: prefix });
  expect(await former.ended).toBe(1);
  expect(former.output()).toMatch(/do not accept the passwords of .*; nothing was changed; run it on the data folder/);
  expect(former.output()).not.toContain('INTEGRATIONS_ENCRYPTION_KEY');
});
