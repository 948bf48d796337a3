// Proves where the names of the people who change flags come from.
import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editor, flagCalls } from '../../testing/flag-calls.ts';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const { newFlag, get, patch } = flagCalls(() => rig);

describe('names of the people who change flags', () => {
  const publishAccountEvent = async (
    type: string,
    data: Record<string, unknown>,
    createdAt: string,
    eventId: string = randomUUID(),
  ) => {
    const event = {
      ...{ eventId, version: 1, source: 'accounts', type, createdAt, createdBy: 'root', createdByUserId: -42 },
      ...{ createdByUsername: 'ada', environment: null, project: null, featureName: null, data, preData: null },
      ...{ tags: [], requestId: null, traceparent: null },
    };
    await rig.bus.publish(`evt.accounts.${type}`, event, { msgId: randomUUID() });
    await rig.service.processAll();
  };

  it('come from the newest event of accounts, in any order of arrival, with repetitions', async () => {
    const actor: Actor = { ...editor, id: 70 };
    const feature = await rig.ask(contracts.createFeature, { projectId, name: 'by-70' }, actor);
    expect(feature.createdBy.name).toBe('Ed Itor');
    const creatorName = async () => (await get('by-70')).createdBy.name;

    const newer = [{ id: 70, name: 'Newer' }, '2026-03-01T00:00:00Z', randomUUID()] as const;
    await publishAccountEvent('user-updated', ...newer);
    expect(await creatorName()).toBe('Newer');
    await publishAccountEvent('user-created', { id: 70, name: 'Older' }, '2026-02-01T00:00:00Z');
    expect(await creatorName()).toBe('Newer');
    await publishAccountEvent(
      'service-account-updated',
      { id: 70, name: null, username: 'newest' },
      '2026-04-01T00:00:00Z',
    );
    await publishAccountEvent('user-updated', ...newer);
    expect(await creatorName()).toBe('newest');
  });

  it('are the collaborators of the flag, the last author first', async () => {
    const name = await newFlag();
    const by = (id: number): Actor => ({ ...editor, id, name: `Person ${id}` });
    await patch(name, { stale: true }, by(71));
    await patch(name, { stale: false }, by(72));
    await patch(name, { description: 'x' }, by(71));
    const { users } = (await get(name)).collaborators;
    expect(users.map(({ id }) => id)).toEqual([71, 72, -42]);
  });
});
