// Favorites: they belong to the caller and change nothing of the flag.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { publishedEvent } from '@yardarm/testing/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const place = { projectId: 'default', featureName: 'loved' };
const ann: Actor = { kind: 'user', id: 31, username: 'ann', grants: [] };
const eve: Actor = { kind: 'user', id: 33, username: 'eve', grants: [] };
const bob: Actor = { kind: 'service-account', id: 32, username: 'bob', grants: [] };

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  const tags = [{ type: 'simple', value: 'blue' }];
  await rig.ask(contracts.createFeature, { projectId: 'default', name: 'loved', tags });
});
afterAll(() => rig?.stop());

const add = (actor?: Actor) => rig.ask(contracts.addFavoriteFeature, place, actor);
const remove = (actor?: Actor) => rig.ask(contracts.removeFavoriteFeature, place, actor);
const isFavoriteOf = async (actor: Actor) => (await rig.ask(contracts.getFeature, place, actor)).favorite;

describe('a favorite', () => {
  it('belongs to the caller, and emits one event when it begins and one when it ends', async () => {
    const before = [await rig.ask(contracts.getFeature, place, bob), await rig.ask(contracts.listRevisions, {})];
    await add(ann);
    await add(ann);
    expect([await isFavoriteOf(ann), await isFavoriteOf(bob)]).toEqual([true, false]);
    await add(bob);
    await remove(ann);
    await remove(ann);
    expect([await isFavoriteOf(ann), await isFavoriteOf(bob)]).toEqual([false, true]);
    await remove(bob);
    // No version, no collaborator, no revision.
    expect([await rig.ask(contracts.getFeature, place, bob), await rig.ask(contracts.listRevisions, {})]).toEqual(
      before,
    );
    const [, ...events] = await rig.events('loved');
    expect(events.map(({ type, createdBy, data }) => [type, createdBy, data])).toEqual([
      ['feature-favorited', 'ann', { feature: 'loved' }],
      ['feature-favorited', 'bob', { feature: 'loved' }],
      ['feature-unfavorited', 'ann', { feature: 'loved' }],
      ['feature-unfavorited', 'bob', { feature: 'loved' }],
    ]);
    expect(events[0]).toMatchObject({ project: 'default', tags: [{ type: 'simple', value: 'blue' }] });
  });

  it('cannot be set by an admin token, which all share', async () => {
    await expect(add()).rejects.toMatchObject({ code: 'no-access' });
    await expect(remove()).rejects.toMatchObject({ code: 'no-access' });
  });

  it('ends with the account of its user, and nobody else loses one', async () => {
    const accounts = [ann, bob];
    for (const actor of [...accounts, eve]) {
      await add(actor);
      await rig.ask(contracts.addFavoriteProject, { projectId: 'default' }, actor);
    }
    for (const [index, type] of (['user-deleted', 'service-account-deleted'] as const).entries()) {
      const event = publishedEvent({ type, source: 'accounts', project: null, preData: { id: accounts[index]!.id } });
      await rig.bus.publish(`evt.accounts.${type}`, event, { msgId: event.eventId });
    }
    await rig.service.processAll();
    for (const table of ['feature_favorites', 'project_favorites'] as const) {
      const rows = await rig.db.kysely.selectFrom(table).select('user_id').execute();
      expect(rows.map(({ user_id }) => Number(user_id))).toEqual([eve.id]);
    }
    expect(await isFavoriteOf(eve)).toBe(true);
  });

  it('needs a flag that exists in the project', async () => {
    const missing = { ...place, featureName: 'nobody' };
    await expect(rig.ask(contracts.addFavoriteFeature, missing, ann)).rejects.toMatchObject({ code: 'not-found' });
    await expect(rig.ask(contracts.removeFavoriteFeature, missing, ann)).rejects.toMatchObject({ code: 'not-found' });
  });
});
