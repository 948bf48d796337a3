import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editor, flagCalls } from '../testing/flag-calls.ts';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';

const projectId = 'default';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const { newFlag, get, patch, switchFlag, add, typesOf, revisions } = flagCalls(() => rig);

describe('patching a flag', () => {
  it('emits an event for each kind of change, in one transaction, and raises each revision once', async () => {
    const name = await newFlag();
    const before = await revisions();
    const feature = await patch(name, { description: 'new', stale: true, archived: true });
    expect(feature).toMatchObject({
      description: 'new',
      stale: true,
      archived: true,
      lifecycle: { stage: 'archived' },
    });
    expect(feature.archivedAt).not.toBeNull();
    const [, updated, stale, archived, ...more] = await rig.events(name);
    expect(updated).toMatchObject({
      type: 'feature-metadata-updated',
      data: { name, description: 'new', stale: true, archived: true, archivedAt: feature.archivedAt },
      preData: { name, description: null, stale: false, archived: false, archivedAt: null },
    });
    expect(stale).toMatchObject({ type: 'feature-stale-on', data: null, preData: null });
    expect(archived).toMatchObject({ type: 'feature-archived', data: null, preData: null });
    expect(more).toEqual([]);
    expect(await revisions()).toEqual({ development: before.development! + 1, production: before.production! + 1 });
  });

  it('emits nothing, writes nothing and raises nothing when nothing changes', async () => {
    const name = await newFlag({ description: 'same' });
    const before = [await get(name), await revisions(), await typesOf(name)];
    await patch(name, { description: 'other-and-back' }).then(() => patch(name, { description: 'same' }));
    const then = await revisions();
    await patch(name, { description: 'same', stale: false, archived: false }, { ...editor, id: 99 });
    await rig.ask(contracts.patchFeature, { projectId, featureName: name, operations: [] });
    expect(await revisions()).toEqual(then);
    expect(await typesOf(name)).toEqual(['feature-created', 'feature-metadata-updated', 'feature-metadata-updated']);
    expect(await get(name)).toEqual({ ...(before[0] as object), version: 3 });
  });

  it('needs DELETE_FEATURE to archive, and applies nothing of the patch without it', async () => {
    const name = await newFlag();
    await expect(patch(name, { description: 'x', archived: true }, editor)).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringContaining('"DELETE_FEATURE"'),
    });
    expect(await get(name)).toMatchObject({ description: null, archived: false });
    expect(await typesOf(name)).toEqual(['feature-created']);
  });

  it('revives an archived flag off everywhere, in a new lifecycle, and emits where it was on', async () => {
    const name = await newFlag();
    await switchFlag(name, 'production', true);
    await patch(name, { archived: true });
    const revived = await patch(name, { archived: false });
    expect(revived).toMatchObject({
      archived: false,
      archivedAt: null,
      enabled: false,
      lifecycle: { stage: 'initial' },
    });
    const events = await rig.events(name);
    expect(events.slice(-3).map(({ type, environment }) => [type, environment])).toEqual([
      ['feature-archived', null],
      ['feature-environment-disabled', 'production'],
      ['feature-revived', null],
    ]);
  });

  it('finds an archived flag, which no other change and no reading but that of the archive does', async () => {
    const name = await newFlag();
    await patch(name, { archived: true });
    await expect(get(name)).rejects.toMatchObject({ code: 'not-found' });
    const before = await rig.ask(contracts.listRevisions, {});
    expect(await patch(name, { archived: true, stale: true })).toMatchObject({ archived: true, stale: true });
    expect(await rig.ask(contracts.listRevisions, {})).toEqual(before);
    await expect(add(name, { name: 'default' })).rejects.toMatchObject({ code: 'not-found' });
    await expect(switchFlag(name, 'development', true)).rejects.toMatchObject({ code: 'archived-feature' });
  });

  it.each([
    ['another property', { name: 'x' }, /"\/name".*"x"/],
    ['a type that does not exist', { type: 'nope' }, /\.type property.*"nope"/],
    ['a word for a switch', { stale: 'yes' }, /\/stale.*"yes"/],
  ])('refuses %s with bad-data', async (_, changes, message) => {
    const name = await newFlag();
    await expect(patch(name, changes)).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringMatching(message),
    });
    expect(await typesOf(name)).toEqual(['feature-created']);
  });

  it('does not find a flag under another project, and names a missing project', async () => {
    const name = await newFlag();
    await rig.db.kysely
      .insertInto('projects')
      .values({ id: 'other', name: 'Other' })
      .onConflict((c) => c.doNothing())
      .execute();
    const asked = (project: string) => rig.ask(contracts.getFeature, { projectId: project, featureName: name });
    await expect(asked('other')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(`name "${name}"`),
    });
    await expect(asked('nowhere')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('project with ID'),
    });
    await expect(
      rig.ask(contracts.patchFeature, { projectId: 'other', featureName: name, operations: [] }),
    ).rejects.toMatchObject({ code: 'not-found' });
  });
});
