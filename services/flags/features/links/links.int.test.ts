// Links of flags: their answers, their events, and what they leave as it is.
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
const url = 'https://example.com/a';

let rig: FlagsRig;
let count = 0;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

async function newFlag(): Promise<string> {
  count += 1;
  return (await rig.ask(contracts.createFeature, { projectId, name: `linked-${count}` })).name;
}

const get = (featureName: string) => rig.ask(contracts.getFeature, { projectId, featureName });
const add = (featureName: string, link: { url: string; title?: string | null }) =>
  rig.ask(contracts.createFeatureLink, { projectId, featureName, ...link });

describe('the links of a flag', () => {
  it('are in the admin view, the oldest first, and each change emits the flag with its links', async () => {
    const name = await newFlag();
    const { environments } = await rig.ask(contracts.listRevisions, {});
    await add(name, { url, title: 'A' });
    await add(name, { url: 'https://example.com/b' });
    const [first, second] = (await get(name)).links;
    expect([first, second]).toEqual([
      { id: expect.any(String), url, title: 'A', feature: name },
      { id: expect.any(String), url: 'https://example.com/b', title: null, feature: name },
    ]);
    const place = { projectId, featureName: name, linkId: first!.id };
    await rig.ask(contracts.updateFeatureLink, { ...place, url: 'https://example.com/c' });
    expect((await get(name)).links[0]).toMatchObject({ url: 'https://example.com/c', title: 'A' });
    await rig.ask(contracts.updateFeatureLink, { ...place, url: 'https://example.com/c', title: null });
    await rig.ask(contracts.updateFeatureLink, { ...place, url: 'https://example.com/c', title: null });
    await rig.ask(contracts.deleteFeatureLink, place);
    const feature = await get(name);
    expect(feature).toMatchObject({ links: [second], version: 6 });
    const [, ...events] = await rig.events(name);
    expect(events.map(({ type }) => type)).toEqual(Array.from({ length: 5 }, () => 'feature-metadata-updated'));
    expect(events.at(-1)).toMatchObject({
      data: { name, type: 'release', links: [{ id: second!.id }] },
      preData: { name, links: [{ id: first!.id, url: 'https://example.com/c', title: null }, { id: second!.id }] },
    });
    expect((await rig.ask(contracts.listRevisions, {})).environments).toEqual(environments);
  });

  it.each(['not a url', '', '/relative', 'javascript:alert(1)', 'java\tscript:alert(1)', 'data:text/html,x'])(
    'refuse the URL %j',
    async (wrong) => {
      const name = await newFlag();
      await expect(add(name, { url: wrong })).rejects.toMatchObject({
        code: 'validation',
        message: expect.stringContaining('.url'),
      });
      expect((await get(name)).links).toEqual([]);
    },
  );

  it.each(['https://example.com/a?b=c#d', 'ftp://example.com/x', 'mailto:ann@example.com', 'slack://open'])(
    'accept the URL %j',
    async (right) => {
      const name = await newFlag();
      await add(name, { url: right });
      expect((await get(name)).links).toMatchObject([{ url: right }]);
    },
  );

  it('are not found in another flag, in an archived one, or by an id that is none', async () => {
    const [name, other] = [await newFlag(), await newFlag()];
    await add(name, { url });
    const linkId = (await get(name)).links[0]!.id;
    const missing = { code: 'not-found' };
    const remove = (featureName: string, id: string) =>
      rig.ask(contracts.deleteFeatureLink, { projectId, featureName, linkId: id });
    await expect(remove(other, linkId)).rejects.toMatchObject(missing);
    await expect(remove(name, 'nope')).rejects.toMatchObject({
      ...missing,
      message: 'Could not find the link with ID "nope".',
    });
    const operations = [{ op: 'replace' as const, path: '/archived', value: true }];
    await rig.ask(contracts.patchFeature, { projectId, featureName: name, operations });
    await expect(add(name, { url })).rejects.toMatchObject(missing);
    await expect(remove(name, linkId)).rejects.toMatchObject(missing);
  });

  it('are at most fifty, also when added at the same time', async () => {
    const name = await newFlag();
    const results = await Promise.allSettled(Array.from({ length: 52 }, () => add(name, { url })));
    const codes = results.flatMap((result) => (result.status === 'rejected' ? result.reason.code : []));
    expect(codes).toEqual(['limit-exceeded', 'limit-exceeded']);
    expect((await get(name)).links).toHaveLength(50);
  });
});
