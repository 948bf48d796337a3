// Proves tags and tag types over a real bus and Postgres: their answers, events, revisions and races.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
const simple = (value: string) => ({ type: 'simple', value });
const member: Actor = {
  ...{ kind: 'user', id: 7, username: 'member' },
  grants: [{ permissions: ['UPDATE_FEATURE'], projects: [projectId] }],
};
const viewer: Actor = { kind: 'user', id: 8, username: 'viewer', grants: [] };

let rig: FlagsRig;
let flagCount = 0;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

async function newFlag(tags: { type: string; value: string }[] = []): Promise<string> {
  flagCount += 1;
  const name = `tagged.${flagCount}`;
  await rig.ask(contracts.createFeature, { projectId, name, tags });
  return name;
}

const add = (featureName: string, tag: contracts.Tag, actor?: Actor) =>
  rig.ask(contracts.addFeatureTag, { featureName, ...tag }, actor);
const tagsOf = async (featureName: string) => (await rig.ask(contracts.listFeatureTags, { featureName })).tags;
const revisions = async () => (await rig.ask(contracts.listRevisions, {})).environments;
const eventsOf = async (match: (data: unknown) => boolean) =>
  (await rig.events()).filter(({ data, preData }) => match(data ?? preData));
const isTag = (value: string) => (data: unknown) => (data as { value?: string } | null)?.value === value;

describe('tags of a flag', () => {
  it('are made when they are first added, with an event, and raise every revision', async () => {
    const [one, other] = [await newFlag(), await newFlag()];
    const before = await revisions();
    expect(await add(one, simple('payments'), member)).toEqual(simple('payments'));
    const after = await revisions();
    for (const environment of ['development', 'production']) {
      expect(after[environment]?.default).toBe((before[environment]?.default ?? 0) + 1);
    }
    await add(other, simple('payments'));
    const events = await eventsOf(isTag('payments'));
    expect(events.map(({ type, featureName }) => [type, featureName])).toEqual([
      ['tag-created', null],
      ['feature-tagged', one],
      ['feature-tagged', other],
    ]);
    expect(events[1]).toMatchObject({ data: simple('payments'), preData: null, tags: [simple('payments')] });
    expect(await tagsOf(one)).toEqual([{ ...simple('payments'), color: null }]);
  });

  it('do not change when a flag already has the tag, or does not have the removed one', async () => {
    const name = await newFlag([simple('kept')]);
    const [before, events] = [await revisions(), (await rig.events()).length];
    await add(name, simple('kept'));
    await rig.ask(contracts.removeFeatureTag, { featureName: name, ...simple('absent') });
    expect(await revisions()).toEqual(before);
    expect(await rig.events()).toHaveLength(events);
  });

  it('are added and removed together, and a tag in both lists is removed', async () => {
    const name = await newFlag([simple('old'), simple('both')]);
    const { tags } = await rig.ask(contracts.updateFeatureTags, {
      featureName: name,
      addedTags: [simple('new'), simple('both')],
      removedTags: [simple('old'), simple('both')],
    });
    expect(tags).toEqual([{ ...simple('new'), color: null }]);
    const types = (await rig.events(name)).slice(1).map(({ type, data }) => [type, (data as contracts.Tag).value]);
    expect(types.sort()).toEqual([
      ['feature-tagged', 'new'],
      ['feature-untagged', 'both'],
      ['feature-untagged', 'old'],
    ]);
  });

  it('need UPDATE_FEATURE in the project of the flag', async () => {
    const name = await newFlag();
    await expect(add(name, simple('mine'), viewer)).rejects.toMatchObject({ code: 'no-access' });
    await expect(add('nowhere', simple('mine'), viewer)).rejects.toMatchObject({
      code: 'not-found',
      message: 'Could not find the feature with name "nowhere".',
    });
  });

  it('are refused for an unknown type, also at the creation of a flag', async () => {
    const name = await newFlag();
    const unknown = { type: 'nothing', value: 'some' };
    await expect(add(name, unknown)).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('nothing'),
    });
    await expect(newFlag([unknown])).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('nothing'),
    });
  });

  it('are at most 50, exactly also under concurrency', async () => {
    const name = await newFlag(Array.from({ length: 48 }, (_, index) => simple(`many ${index}`)));
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) => add(name, simple(`more ${index}`))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'limit-exceeded', message: expect.stringMatching(/at most 50 tags.*51/) },
    });
    expect(await tagsOf(name)).toHaveLength(50);
  });

  it('of several flags change together or not at all', async () => {
    const names = [await newFlag(), await newFlag([simple('leaving')])];
    const change = (features: string[]) =>
      rig.ask(contracts.updateTagsOfFeatures, {
        ...{ projectId, features },
        tags: { addedTags: [simple('bulk')], removedTags: [simple('leaving')] },
      });
    await expect(change([...names, 'nowhere'])).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('"nowhere"'),
    });
    expect(await tagsOf(names[0]!)).toEqual([]);
    const before = await revisions();
    await change(names);
    expect((await revisions()).production?.default).toBe((before.production?.default ?? 0) + 1);
    for (const name of names) expect(await tagsOf(name)).toEqual([{ ...simple('bulk'), color: null }]);
  });
});

describe('tags of the most flags', () => {
  const change = (flagCount: number, tagCount: number) =>
    rig.ask(contracts.updateTagsOfFeatures, {
      ...{ projectId, features: Array.from({ length: flagCount }, (_, index) => `crew.${index}`) },
      tags: { addedTags: Array.from({ length: tagCount }, (_, index) => simple(`crew ${index}`)), removedTags: [] },
    });

  it('change together, and those of more are refused', async () => {
    await sql`
      insert into features (name, project, type, impression_data, created_by_user_id)
      select 'crew.' || n, 'default', 'release', false, -42 from generate_series(0, 4999) n`.execute(rig.db.kysely);
    await change(5000, 1);
    expect(await tagsOf('crew.4999')).toMatchObject([simple('crew 0')]);
    await expect(change(5001, 1)).rejects.toMatchObject({
      ...{ code: 'validation', message: expect.stringContaining('.features property should have at most 5000 items.') },
    });
    await expect(change(5000, 21)).rejects.toMatchObject({
      ...{ code: 'validation', message: expect.stringContaining('should have fewer items') },
    });
  });
});

describe('tags', () => {
  it('are made once, and deleted while no flag has them', async () => {
    const results = await Promise.allSettled([1, 2].map(() => rig.ask(contracts.createTag, simple('alone'))));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await rig.ask(contracts.getTag, simple('alone'))).toEqual({ tag: simple('alone') });
    const listed = (await rig.ask(contracts.listTags, { type: 'simple' })).tags;
    expect(listed).toContainEqual(simple('alone'));
    expect(await rig.ask(contracts.listTags, { type: 'nothing' })).toEqual({ tags: [] });
    expect(await rig.ask(contracts.createTag, simple('  two words '))).toEqual({ tag: simple('two words') });
    await expect(rig.ask(contracts.createTag, simple('  a '))).rejects.toMatchObject({ code: 'validation' });

    const name = await newFlag([simple('alone')]);
    await expect(rig.ask(contracts.deleteTag, simple('alone'))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(name),
    });
    await rig.ask(contracts.removeFeatureTag, { featureName: name, ...simple('alone') });
    await rig.ask(contracts.deleteTag, simple('alone'));
    await expect(rig.ask(contracts.deleteTag, simple('alone'))).rejects.toMatchObject({ code: 'not-found' });
    const types = (await eventsOf(isTag('alone'))).map(({ type }) => type);
    expect(types).toEqual(['tag-created', 'feature-untagged', 'tag-deleted']);
  });

  it('are never lost by a deletion at the same time as an addition', async () => {
    const names = await Promise.all(Array.from({ length: 8 }, () => newFlag()));
    await rig.ask(contracts.createTag, simple('racing'));
    await Promise.allSettled([
      ...names.map((name) => add(name, simple('racing'))),
      rig.ask(contracts.deleteTag, simple('racing')),
    ]).then((results) => expect(results.slice(0, 8).every(({ status }) => status === 'fulfilled')).toBe(true));
    for (const name of names) expect(await tagsOf(name)).toHaveLength(1);
  });
});

describe('tag types', () => {
  it('are made, changed and deleted with their tags and events', async () => {
    for (const unmade of [{ name: 'q9' }, { name: 'q9', description: 'A crew', icon: null }]) {
      expect(await rig.ask(contracts.validateTagType, unmade)).toEqual({ valid: true, tagType: unmade });
    }
    const create = { name: 'team', description: 'The team', icon: '#', color: '#FFA500' };
    await rig.ask(contracts.createTagType, create);
    await expect(rig.ask(contracts.createTagType, { name: 'team' })).rejects.toMatchObject({ code: 'name-exists' });
    await expect(rig.ask(contracts.validateTagType, { name: 'team' })).rejects.toMatchObject({ code: 'name-exists' });
    await rig.ask(contracts.updateTagType, { name: 'team', description: 'The owners' });
    await rig.ask(contracts.updateTagType, { name: 'team', description: 'The owners' });
    const changed = { ...create, description: 'The owners' };
    expect(await rig.ask(contracts.getTagType, { name: 'team' })).toEqual({ tagType: changed });

    const name = await newFlag([{ type: 'team', value: 'red' }]);
    expect(await tagsOf(name)).toEqual([{ type: 'team', value: 'red', color: '#FFA500' }]);
    await expect(rig.ask(contracts.deleteTagType, { name: 'team' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(name),
    });
    await rig.ask(contracts.removeFeatureTag, { featureName: name, type: 'team', value: 'red' });
    await rig.ask(contracts.deleteTagType, { name: 'team' });
    await expect(rig.ask(contracts.getTagType, { name: 'team' })).rejects.toMatchObject({ code: 'not-found' });
    const events = (await rig.events()).filter(({ type }) => type.startsWith('tag-type-'));
    expect(events.map(({ type, data, preData }) => [type, data, preData])).toEqual([
      ['tag-type-created', create, null],
      ['tag-type-updated', changed, create],
      ['tag-type-deleted', null, changed],
    ]);
    expect((await eventsOf(isTag('red'))).map(({ type }) => type)).toContain('tag-deleted');
  });
});
