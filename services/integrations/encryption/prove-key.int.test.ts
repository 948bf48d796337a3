// Proves, on a real Postgres, that secrets of integrations are stored encrypted only, that a start encrypts older rows,
// that keys can be replaced, and that a wrong key ends the start. keyring.test.ts asserts the cipher.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compileCache, eventually, longTest } from '@yardarm/testing';
import { expect, it } from 'vitest';
import { runningDeliveries } from '../testing/running-deliveries.ts';

const run = runningDeliveries();
const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const only = (fill: number) => ({ INTEGRATIONS_ENCRYPTION_KEY: key(fill) });

/** Every row of every table that contains data of integrations, as text. */
async function everythingStored(): Promise<string> {
  const tables = ['integrations', 'outbox', 'handled_events', 'deliveries', 'delivery_attempts'] as const;
  const rows = await Promise.all(tables.map((table) => run.rig.db.kysely.selectFrom(table).selectAll().execute()));
  expect(rows.flat().length).toBeGreaterThan(4);
  return JSON.stringify(rows);
}

const keyIds = async () =>
  (await run.rig.db.kysely.selectFrom('integrations').select('parameters_key').execute()).map(
    (row) => row.parameters_key,
  );

it('no table contains a secret of an integration', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const parameters = { authorization: 'Bearer s3cret-authorization', customHeaders: '{"x-key":"s3cret-header"}' };
  const { id } = await run.rig.create({ url: `${endpoint.url}/s3cret-path-of-sixteen`, parameters });
  await run.rig.update(id, { description: 'x', parameters: { url: '*****', authorization: 'Bearer s3cret-second' } });
  await run.rig.record({});
  await service.processAll();
  expect(endpoint.calls).toMatchObject([
    { path: '/hook/s3cret-path-of-sixteen', headers: { authorization: 'Bearer s3cret-second' } },
  ]);
  expect(await everythingStored()).not.toContain('s3cret');
});

it('plain text from an older release is encrypted at the start of several replicas at once, and works', async () => {
  const endpoint = await run.startEndpoint();
  await run.rig.db.kysely
    .insertInto('integrations')
    .values({
      provider: 'webhook',
      description: null,
      enabled: true,
      parameters: JSON.stringify({ url: `${endpoint.url}/s3cret` }),
      events: ['*'],
      projects: [],
      environments: [],
      from_event_id: 0,
    })
    .execute();
  const services = await Promise.all(Array.from({ length: 5 }, () => run.rig.start()));
  expect(JSON.stringify(await run.rig.db.kysely.selectFrom('integrations').selectAll().execute())).not.toContain(
    's3cret',
  );
  await run.rig.record({});
  await eventually(async () => {
    await Promise.all(services.map((service) => service.processAll()));
    expect(endpoint.calls).toMatchObject([{ path: '/hook/s3cret' }]);
  });
});

it('a wrong key ends the start, with a message that contains neither key, and changes and sends nothing', async () => {
  const endpoint = await run.startEndpoint();
  const first = await run.rig.start(only(1));
  await run.rig.create({ url: endpoint.url });
  await run.rig.record({});
  await run.rig.stop(first);
  const calls = endpoint.calls.length;
  const before = await run.rig.db.kysely.selectFrom('integrations').selectAll().execute();

  const refusal = await run.rig.start(only(2)).then(
    () => 'started',
    (error: Error) => `${error.name}: ${error.message}`,
  );
  expect(refusal).toMatch(/^WrongKeyError: INTEGRATIONS_ENCRYPTION_KEY is not the key/);
  for (const fill of [1, 2]) expect(refusal).not.toContain(key(fill));
  expect(await run.rig.db.kysely.selectFrom('integrations').selectAll().execute()).toEqual(before);
  expect(endpoint.calls).toHaveLength(calls);
});

it('a wrong key ends the start even without an integration', async () => {
  await run.rig.stop(await run.rig.start(only(1)));
  await expect(run.rig.start(only(2))).rejects.toThrow('is not the key');
});

it('the published key is named in a warning at every start, and no other key', async () => {
  const compose = await readFile(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
  const published = /INTEGRATIONS_ENCRYPTION_KEY:-([^}]+)/.exec(compose)![1]!;
  const warnings = () => run.rig.logged.filter((line) => line.includes('is published in docker-compose.yml'));
  for (const starts of [1, 2]) {
    await run.rig.stop(await run.rig.start({ INTEGRATIONS_ENCRYPTION_KEY: published }));
    expect(warnings()).toHaveLength(starts);
  }
  const replaced = { ...only(1), INTEGRATIONS_ENCRYPTION_OTHER_KEYS: published };
  await run.rig.stop(await run.rig.start(replaced));
  expect(warnings()).toHaveLength(2);
  expect(run.rig.logged.join('')).not.toContain(published);
});

it('a key is replaced while integrations run, and the old one is not needed afterwards', async () => {
  const endpoint = await run.startEndpoint();
  const old = await run.rig.start({ ...only(1), INTEGRATIONS_ENCRYPTION_OTHER_KEYS: key(2) });
  await run.rig.create({ url: endpoint.url });
  const [oldId] = await keyIds();
  const fresh = await run.rig.start({ ...only(2), INTEGRATIONS_ENCRYPTION_OTHER_KEYS: key(1) });
  const [newId] = await keyIds();
  expect(newId).not.toBe(oldId);

  // Both replicas run at once. Each reads the parameters that the other has encrypted.
  const { id } = await run.rig.create({ url: endpoint.url });
  await run.rig.record({});
  await Promise.all([old.processAll(), fresh.processAll()]);
  await eventually(() => expect(endpoint.calls).toHaveLength(2));
  await run.rig.stop(old);
  await run.rig.stop(fresh);
  await run.rig.stop(await run.rig.start({ ...only(2), INTEGRATIONS_ENCRYPTION_OTHER_KEYS: key(1) }));

  const last = await run.rig.start(only(2));
  expect(new Set(await keyIds())).toEqual(new Set([newId]));
  await run.rig.record({});
  await last.processAll();
  expect(endpoint.calls).toHaveLength(4);
  expect(await run.rig.outcomes(id)).toMatchObject([{ state: 'success' }, { state: 'success' }]);
});

longTest(
  'yardarm rotate-key encrypts the secrets with the new key while a replica runs, and refuses a wrong key',
  async () => {
    const rotate = async (settings: Record<string, string>) => {
      const command = fileURLToPath(new URL('../../../scripts/yardarm.ts', import.meta.url));
      const child = spawn(process.execPath, [command, 'rotate-key'], {
        env: { ...compileCache, DATABASE_URL: run.databaseUrl(), ...settings },
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
      const [code] = await once(child, 'close');
      return { code, output };
    };
    const endpoint = await run.startEndpoint();
    const service = await run.rig.start({ ...only(1), INTEGRATIONS_ENCRYPTION_OTHER_KEYS: key(2) });
    await run.rig.create({ url: endpoint.url });
    const [oldId] = await keyIds();

    const wrong = await rotate(only(3));
    expect(wrong).toEqual({ code: 1, output: expect.stringMatching(/^yardarm: .* is not the key/) });
    expect(await keyIds()).toEqual([oldId]);
    const rotated = await rotate({ ...only(2), INTEGRATIONS_ENCRYPTION_OTHER_KEYS: key(1) });
    const [newId] = await keyIds();
    expect(newId).not.toBe(oldId);
    expect(rotated).toEqual({ code: 0, output: expect.stringContaining(`is encrypted with the key ${newId}`) });
    await run.rig.record({});
    await service.processAll();
    expect(endpoint.calls).toHaveLength(1);
  },
);
