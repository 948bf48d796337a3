// Tests what integrations asks flags for: whether the projects and environments of filters exist, and the tag types of
// providers.
import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { IntegrationsRig } from '../testing/integrations-rig.ts';

const url = 'https://hooks.example/T00';
let database: TestDatabase;
let rig: IntegrationsRig;

beforeAll(async () => {
  database = await createTestDatabase();
  const prefix = `t${randomBytes(6).toString('hex')}`;
  const databaseUrl = database.urlFor('integrations');
  rig = await IntegrationsRig.open({ natsUrl: inject('natsUrl'), databaseUrl, prefix });
  await rig.start();
});
afterAll(async () => {
  await rig?.close();
  await database?.drop();
});

const count = async () => (await rig.list()).addons.length;

describe('filters', () => {
  it.each([
    [
      { projects: ['default', 'missing'] },
      'The .projects[1] property should be the name of one of the projects that exist, or *. You sent "missing".',
    ],
    [
      { environments: ['missing'] },
      'The .environments[0] property should be the name of one of the environments that exist, or *. You sent "missing".',
    ],
  ])('with %j are refused', async (filters, message) => {
    const before = await count();
    const refused = { code: 'bad-data', message: expect.stringContaining(message) };
    await expect(rig.create({ url, ...filters })).rejects.toMatchObject(refused);
    const { id } = await rig.create({ url });
    await expect(rig.update(id, filters)).rejects.toMatchObject(refused);
    expect(await count()).toBe(before + 1);
  });

  it('name each problem', async () => {
    const refused = rig.create({ url, projects: ['missing'], environments: ['*', 'missing'] });
    await expect(refused).rejects.toMatchObject({
      code: 'bad-data',
      details: [{ path: '.projects[0]' }, { path: '.environments[1]' }],
    });
  });

  it.each([['*'], ['*', 'default']])('with %s may apply to all', async (...projects) => {
    expect(await rig.create({ url, projects, environments: ['*'] })).toMatchObject({ projects, environments: ['*'] });
  });

  it('may keep a project that was deleted since', async () => {
    rig.places.projects.add('soon-deleted');
    const { id } = await rig.create({ url, projects: ['soon-deleted'] });
    rig.places.projects.delete('soon-deleted');
    const changed = await rig.update(id, { description: 'changed', projects: ['soon-deleted', 'default'] });
    expect(changed).toMatchObject({ description: 'changed', projects: ['soon-deleted', 'default'] });
  });
});

describe('the tag types of a provider', () => {
  beforeEach(() => {
    rig.tagTypes.length = 0;
  });

  it('are made with a new integration', async () => {
    await rig.createOf('datadog', { apiKey: 'a-key' });
    expect(rig.tagTypes).toEqual(['datadog']);
  });

  it('are made before the integration is stored', async () => {
    rig.isFlagsAway = true;
    const before = await count();
    await expect(rig.createOf('datadog', { apiKey: 'a-key' })).rejects.toMatchObject({ code: 'unavailable' });
    rig.isFlagsAway = false;
    expect(await count()).toBe(before);
  });

  it('are none for a provider without', async () => {
    await rig.create({ url });
    expect(rig.tagTypes).toEqual([]);
  });
});
