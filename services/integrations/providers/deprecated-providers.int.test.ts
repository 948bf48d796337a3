// Proves that a deprecated provider accepts no new integration and that existing ones continue.
import { randomBytes } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/integrations';
import type { RunningService } from '@yardarm/shared/service';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { context, IntegrationsRig } from '../testing/integrations-rig.ts';
import { type Receiver, startReceiver } from '../testing/receiver.ts';

let database: TestDatabase;
let rig: IntegrationsRig;
let service: RunningService;
let receiver: Receiver;

beforeAll(async () => {
  database = await createTestDatabase();
  rig = await IntegrationsRig.open({
    natsUrl: inject('natsUrl'),
    databaseUrl: database.urlFor('integrations'),
    prefix: `t${randomBytes(6).toString('hex')}`,
  });
  service = await rig.start();
  receiver = await startReceiver((response) => response.end('ok'));
});

afterAll(async () => {
  receiver?.close();
  await rig?.close();
  await database?.drop();
});

/** Inserts the row that an older version would have made. */
async function existing(provider: string, parameters: Record<string, string>): Promise<number> {
  const { id } = await rig.db.kysely
    .insertInto('integrations')
    .values({
      ...{ provider, description: null, enabled: true, parameters: JSON.stringify(parameters) },
      events: ['feature-created', 'feature-updated'],
      ...{ projects: [], environments: [], from_event_id: rig.head },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

describe.each([
  ['slack', { defaultChannel: 'general' }],
  ['teams', {}],
])('the provider %s', (provider, parameters: Record<string, string>) => {
  it('is listed as deprecated, and a new integration is refused', async () => {
    const { providers } = await rig.list();
    expect(providers.find(({ name }) => name === provider)?.deprecated).toContain('deprecated');
    const error = await rig.create({ provider, url: receiver.url, parameters }).then(
      () => 'taken',
      (refusal: unknown) => refusal,
    );
    expect(error).toMatchObject({ code: 'bad-data', details: [{ path: '.provider' }] });
    expect((error as Error).message).toMatch(/cannot be chosen any more: .*deprecated/);
    expect((error as Error).message).toContain(`You sent "${provider}".`);
    expect((await rig.list()).addons.filter((addon) => addon.provider === provider)).toEqual([]);
  });

  it('continues for an existing integration, which can change and receives events', async () => {
    const id = await existing(provider, { ...parameters, url: `${receiver.url}/old` });
    const changed = await rig.update(id, {
      provider,
      description: 'still here',
      parameters: { ...parameters, url: '*****' },
    });
    expect(changed).toMatchObject({ description: 'still here', parameters: { url: '*****' } });
    receiver.calls.length = 0;
    // The event that is emitted instead of feature-updated.
    await rig.record({ type: 'feature-metadata-updated' });
    await service.processAll();
    expect(receiver.calls).toMatchObject([{ path: '/old' }]);
    expect(await rig.outcomes(id)).toMatchObject([{ state: 'success', details: { url: receiver.url } }]);
    await rig.bus.request(contracts.deleteIntegration, { id }, context());
  });
});
