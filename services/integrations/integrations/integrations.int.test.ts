// Proves, over a real bus and Postgres, the answers and events of integrations: creation, change, deletion, masks,
// refusals, races. The tests in deliveries/ assert the deliveries.
import { randomBytes } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/integrations';
import { sql } from '@yardarm/shared/db';
import { keyringOf } from '@yardarm/shared/encryption';
import type { RunningService } from '@yardarm/shared/service';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { context, encryptionKey, IntegrationsRig } from '../testing/integrations-rig.ts';
import { openParameters, sealParameters } from './integration.ts';

let database: TestDatabase;
let rig: IntegrationsRig;
let service: RunningService;

const keys = keyringOf(Buffer.from(encryptionKey, 'base64'));
const url = 'https://hooks.example/T00/a-secret';

beforeAll(async () => {
  database = await createTestDatabase();
  const prefix = `t${randomBytes(6).toString('hex')}`;
  rig = await IntegrationsRig.open({
    natsUrl: inject('natsUrl'),
    databaseUrl: database.urlFor('integrations'),
    prefix,
  });
  service = await rig.start();
});

beforeEach(async () => {
  rig.head = 10;
  rig.isUnavailable = false;
  await rig.db.kysely.deleteFrom('integrations').execute();
  await rig.db.kysely.deleteFrom('outbox').execute();
});

afterAll(async () => {
  await rig?.close();
  await database?.drop();
});

const get = (id: number) => rig.bus.request(contracts.getIntegration, { id }, context());
const list = () => rig.list();
const remove = (id: number) => rig.bus.request(contracts.deleteIntegration, { id }, context());
const stored = () => rig.db.kysely.selectFrom('integrations').selectAll().orderBy('id').execute();
type Stored = Awaited<ReturnType<typeof stored>>[number];
const typesOfEvents = async () => (await rig.events()).map(({ type }) => type);

describe('a new integration', () => {
  it('is returned by create, list and get, masked', async () => {
    const made = await rig.create({ url, parameters: { contentType: 'text/plain', authorization: 'Bearer s' } });
    expect(made).toEqual({
      id: expect.any(Number),
      provider: 'webhook',
      description: null,
      enabled: true,
      parameters: { url: '*****', contentType: 'text/plain', authorization: '*****' },
      events: ['*'],
      projects: [],
      environments: [],
      maySendEventsOfPeople: true,
      createdAt: expect.stringMatching(/^20\d\d-.*Z$/),
    });
    expect(await get(made.id)).toEqual(made);
    expect((await list()).addons).toEqual([made]);
  });

  it('emits an event without its parameters', async () => {
    const { parameters, createdAt, ...visible } = await rig.create({ url, description: 'chat', projects: ['default'] });
    expect(await rig.events()).toMatchObject([
      { type: 'addon-config-created', createdBy: 'root', createdByUserId: -42, data: visible, preData: null },
    ]);
  });

  it('begins at the head of the log', async () => {
    rig.head = 4_711;
    await rig.create({ url });
    expect(await stored()).toMatchObject([{ from_event_id: 4_711 }]);
  });

  it('is not created while the log does not answer', async () => {
    rig.isUnavailable = true;
    await expect(rig.create({ url })).rejects.toMatchObject({ code: 'unavailable' });
    expect(await stored()).toEqual([]);
    expect(await rig.events()).toEqual([]);
  });
});

describe('an actor who may not read events of people', () => {
  const editor: Actor = {
    ...{ kind: 'user', id: 7, username: 'edith' },
    grants: [{ permissions: ['CREATE_ADDON', 'UPDATE_ADDON'] }],
  };

  it.each([['*'], ['user-*'], ['pat-created'], ['project-*']])('creates no integration for %s', async (pattern) => {
    const made = rig.create({ url, events: ['feature-created', pattern], by: editor });
    await expect(made).rejects.toMatchObject({ code: 'no-access', message: expect.stringContaining('READ_LOGS') });
    expect(await stored()).toEqual([]);
  });

  it('creates one for events of flags, and changes no destination of one for more events', async () => {
    const { id } = await rig.create({ url, events: ['feature-*'], by: editor });
    expect(await rig.update(id, { events: ['feature-created'], by: editor })).toMatchObject({ id });
    await rig.update(id, { events: ['*'], parameters: { url } });
    const parameters = { url: 'https://elsewhere.example' };
    await expect(rig.update(id, { parameters, by: editor })).rejects.toMatchObject({ code: 'no-access' });
    expect(await rig.update(id, { enabled: false, by: editor })).toMatchObject({ enabled: false });
    await expect(rig.update(id, { enabled: true, by: editor })).rejects.toMatchObject({ code: 'no-access' });
  });
});

it('the webhook provider is listed with its parameters and events', async () => {
  const [webhook] = (await list()).providers;
  expect(webhook).toMatchObject({ name: 'webhook', displayName: 'Webhook' });
  expect(webhook!.parameters.map(({ name, required, sensitive }) => [name, required, sensitive])).toEqual([
    ['url', true, true],
    ['contentType', false, false],
    ['authorization', false, true],
    ['signingSecret', false, true],
    ['customHeaders', false, true],
    ['bodyTemplate', false, false],
  ]);
  expect(webhook!.events).toContain('feature-environment-enabled');
});

describe('a change', () => {
  it('keeps absent properties, empties null ones, and keeps masked values', async () => {
    const { id } = await rig.create({ url, description: 'chat', projects: ['default'], environments: ['production'] });
    const changed = await rig.update(id, { events: ['feature-created'] });
    expect(changed).toMatchObject({ description: 'chat', projects: ['default'], environments: ['production'] });
    expect(await rig.update(id, { projects: [] })).toMatchObject({ projects: [], environments: ['production'] });
    await rig.update(id, { projects: ['default'] });
    const emptied = await rig.update(id, { description: null, projects: null, environments: null });
    expect(emptied).toMatchObject({ description: '', projects: [], environments: [] });
    const [{ parameters, parameters_key: keyId, provider }] = (await stored()) as [Stored];
    expect(openParameters(keys, { provider, parameters: { keyId, text: parameters } })).toEqual({ url });
  });

  it('emits an event with the values before and after', async () => {
    const { id } = await rig.create({ url });
    await rig.update(id, { enabled: false });
    const [, updated] = await rig.events();
    expect(updated).toMatchObject({
      type: 'addon-config-updated',
      data: { id, enabled: false },
      preData: { id, enabled: true },
    });
    expect(JSON.stringify(updated)).not.toContain('secret');
  });

  it('without a difference emits no event, one of a parameter does', async () => {
    const { id } = await rig.create({ url });
    await rig.update(id, {});
    expect(await typesOfEvents()).toEqual(['addon-config-created']);
    await rig.update(id, { parameters: { url: `${url}2` } });
    expect(await typesOfEvents()).toEqual(['addon-config-created', 'addon-config-updated']);
  });

  it('of the destination alone is refused, because its secrets belong to another', async () => {
    const { id } = await rig.create({ url, parameters: { authorization: 'Bearer s' } });
    const parameters = { url: 'https://elsewhere.example', authorization: '*****' };
    await expect(rig.update(id, { parameters })).rejects.toMatchObject({
      code: 'bad-data',
      details: [{ path: '.parameters.authorization' }],
    });
    expect(await typesOfEvents()).toEqual(['addon-config-created']);
  });

  it('of the provider is refused', async () => {
    const { id } = await rig.create({ url });
    const change = { id, provider: 'slack', enabled: true, events: [], parameters: {} };
    await expect(rig.bus.request(contracts.updateIntegration, change, context())).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('The .provider property cannot be changed, it is webhook. You sent "slack".'),
    });
  });

  it('reads the head of the log only when it enables again', async () => {
    const { id } = await rig.create({ url });
    rig.isUnavailable = true;
    await rig.update(id, { description: 'still' });
    await rig.update(id, { enabled: false });
    await expect(rig.update(id, {})).rejects.toMatchObject({ code: 'unavailable' });
    expect(await stored()).toMatchObject([{ enabled: false, from_event_id: 10 }]);
    rig.isUnavailable = false;
    rig.head = 20;
    await rig.update(id, {});
    expect(await stored()).toMatchObject([{ enabled: true, from_event_id: 20 }]);
  });

  it('by twenty at once is serialized: each event begins with the data of the one before', async () => {
    const { id } = await rig.create({ url, description: 'start' });
    await Promise.all(Array.from({ length: 20 }, (_, n) => rig.update(id, { description: `racer ${n}` })));
    const [, ...updates] = await rig.events();
    expect(updates).toHaveLength(20);
    expect(updates.map(({ preData }) => preData?.description)).toEqual([
      'start',
      ...updates.slice(0, -1).map(({ data }) => data?.description),
    ]);
    expect((await get(id)).description).toBe(updates.at(-1)!.data!.description);
  });

  it('by twenty who disable and enable at once ends in the state of the last event', async () => {
    const { id } = await rig.create({ url });
    await Promise.all(Array.from({ length: 20 }, (_, n) => rig.update(id, { enabled: n % 2 === 0 })));
    const last = (await rig.events()).at(-1)!;
    expect((await get(id)).enabled).toBe(last.data!.enabled);
  });
});

describe('a deletion', () => {
  it('removes it and emits an event with its data', async () => {
    const { parameters, createdAt, ...visible } = await rig.create({ url });
    await remove(visible.id);
    expect((await list()).addons).toEqual([]);
    expect((await rig.events()).at(-1)).toMatchObject({ type: 'addon-config-deleted', data: null, preData: visible });
  });

  it('by twenty at once happens once', async () => {
    const { id } = await rig.create({ url });
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => remove(id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await typesOfEvents()).toEqual(['addon-config-created', 'addon-config-deleted']);
  });
});

describe('a destination that no call may reach', () => {
  const refused = {
    code: 'bad-data',
    details: [{ path: '.parameters.url', message: expect.stringContaining('INTEGRATIONS_ALLOWED_PRIVATE') }],
  };

  it.each(['http://10.1.2.3/a-secret', 'http://192.168.0.1:4242/', 'http://[::1]/'])(
    '%s, is refused',
    async (private_) => {
      const { id } = await rig.create({ url });
      for (const attempt of [
        rig.create({ url: private_ }),
        rig.create({ url: private_, enabled: false }),
        rig.update(id, { parameters: { url: private_ } }),
      ]) {
        await expect(attempt).rejects.toMatchObject(refused);
        await expect(attempt).rejects.not.toThrow(private_);
      }
      expect((await list()).addons).toHaveLength(1);
      expect(await typesOfEvents()).toEqual(['addon-config-created']);
    },
  );

  it('is stored while its name cannot be resolved', async () => {
    expect(await rig.create({ url: 'http://nowhere.invalid/' })).toMatchObject({ enabled: true });
  });

  it('and was stored by an earlier version can be disabled, and not set for another integration', async () => {
    const { id } = await rig.create({ url });
    const parameters = { url: 'http://10.1.2.3/' };
    const places = { events: [], projects: [], environments: [] };
    const stored = { provider: 'webhook', description: null, enabled: true, parameters, ...places };
    const sealed = sealParameters(keys, stored);
    await rig.db.kysely
      .updateTable('integrations')
      .set({ parameters: sealed.text, parameters_key: sealed.keyId })
      .execute();
    expect(await rig.update(id, { enabled: false })).toMatchObject({ enabled: false });
    expect(await rig.update(id, { enabled: true, parameters })).toMatchObject({ enabled: true });
    await expect(rig.create({ url: parameters.url })).rejects.toMatchObject(refused);
  });
});

it('an integration that an earlier version made has no time of its creation', async () => {
  const { id } = await rig.create({ url });
  await rig.db.kysely.updateTable('integrations').set({ created_at: null }).execute();
  expect(await get(id)).toMatchObject({ createdAt: null });
});

describe('a request is refused for', () => {
  it.each([1, 2 ** 31, Number.MAX_SAFE_INTEGER, -1, 0])('the unknown id %i', async (id) => {
    const refused = { code: 'not-found', message: `Could not find the addon with ID "${id}".` };
    await expect(get(id)).rejects.toMatchObject(refused);
    await expect(rig.update(id, {})).rejects.toMatchObject(refused);
    await expect(remove(id)).rejects.toMatchObject(refused);
    await expect(rig.outcomes(id)).rejects.toMatchObject(refused);
  });

  it('an unknown provider, by its name', async () => {
    const input = { provider: 'pigeon', enabled: true, parameters: {}, events: [] };
    const { providers } = await rig.list();
    const names = providers.filter(({ deprecated }) => deprecated === undefined).map(({ name }) => name);
    expect(names).toContain('webhook');
    await expect(rig.bus.request(contracts.createIntegration, input, context())).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining(
        `The .provider property should be one of ${names.join(', ')}. You sent "pigeon".`,
      ),
    });
  });

  it.each([null, {}, []])('the parameter %j, which is not a value', async (value) => {
    const input = { provider: 'webhook', enabled: true, parameters: { url: value as unknown as string }, events: [] };
    await expect(rig.bus.request(contracts.createIntegration, input, context())).rejects.toMatchObject({
      details: [
        {
          path: '.parameters.url',
          message: 'The .parameters.url property should be a string, a number or a boolean. You sent ***.',
        },
      ],
    });
  });

  it('a lack of permission', async () => {
    const viewer = context({ kind: 'user', id: 5, username: 'eve', grants: [] });
    const input = { provider: 'webhook', enabled: true, parameters: { url }, events: [] };
    const { id } = await rig.create({ url });
    await expect(rig.bus.request(contracts.createIntegration, input, viewer)).rejects.toMatchObject({
      code: 'no-access',
    });
    await expect(rig.bus.request(contracts.deleteIntegration, { id }, viewer)).rejects.toMatchObject({
      code: 'no-access',
    });
  });
});

it('health names its parts', async () => {
  expect(await service.health()).toEqual({ database: null, bus: null });
});

it('all integrations have at most so many bytes together, however many writers race for the rest', async () => {
  const filled = (bytes: number) => ({ url, customHeaders: JSON.stringify({ filling: 'x'.repeat(bytes) }) });
  const configuration = {
    provider: 'webhook',
    enabled: false,
    parameters: filled(180_000),
    events: ['feature-created'],
  };
  const make = () => rig.bus.request(contracts.createIntegration, configuration, context());
  const { id } = await make();
  // An encrypted parameter has a third more characters.
  await rig.db.kysely
    .insertInto('integrations')
    .columns([
      'provider',
      'description',
      'enabled',
      'parameters',
      'events',
      'projects',
      'environments',
      'from_event_id',
    ])
    .expression(
      sql`select 'webhook', '', false, repeat('x', 9500000 - octet_length(parameters)), '{}', '{}', '{}', 1
        from integrations where id = ${id}` as never,
    )
    .execute();
  const outcomes = await Promise.allSettled(Array.from({ length: 4 }, make));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThanOrEqual(2);
  expect(refused.length).toBeLessThan(4);
  for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toMatchObject({ code: 'limit-exceeded' });
  const update = (bytes: number) =>
    rig.bus.request(contracts.updateIntegration, { ...configuration, id, parameters: filled(bytes) }, context());
  await update(1);
  for (;;) if ((await make().catch(() => null)) === null) break;
  await expect(update(190_000)).rejects.toMatchObject({ code: 'limit-exceeded' });
});
