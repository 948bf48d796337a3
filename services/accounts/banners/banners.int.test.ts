// Tests banners over a real bus and Postgres.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AccountsRig, race, refusal, startAccountsRig } from '../testing/accounts-rig.ts';

const viewer: Actor = { kind: 'user', id: 7, username: 'viewer', grants: [] };
const author: Actor = {
  kind: 'user',
  id: 8,
  username: 'author',
  grants: [{ permissions: ['UPDATE_INSTANCE_BANNERS'] }],
};

let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig();
});
afterAll(() => rig?.stop());
beforeEach(() => rig.rows('delete from accounts.banners'));

const whole = {
  message: '**Reminder**: see [our page](https://example.com).',
  enabled: false,
  variant: 'error' as const,
  sticky: true,
  icon: 'build',
  link: 'dialog',
  linkText: 'More',
  dialogTitle: 'About it',
  dialog: '# Title\n\n[Projects](/projects)',
};
const standard = {
  ...{ enabled: true, variant: 'info', sticky: false, icon: null, link: null, linkText: null },
  ...{ dialogTitle: null, dialog: null },
};

const list = async () => (await rig.ask(contracts.listBanners, {}, viewer)).banners;

/** The events of one banner, in order. */
async function eventsOf(bannerId: number) {
  const events = await rig.events('banner-created', 'banner-updated', 'banner-deleted');
  return events
    .filter(({ data, preData }) => [data?.id, preData?.id].includes(bannerId))
    .map(({ type, data, preData }) => ({ type, data, preData }));
}

it('is created, replaced, switched and deleted, each with an event that has all of it', async () => {
  const made = await rig.ask(contracts.createBanner, whole, author);
  expect(made).toEqual({ ...whole, id: expect.any(Number), createdAt: expect.any(String) });
  const { id, createdAt } = made;
  expect(await list()).toEqual([made]);

  const replaced = await rig.ask(contracts.updateBanner, { id, message: 'short' }, author);
  expect(replaced).toEqual({ ...standard, message: 'short', id, createdAt });
  const off = await rig.ask(contracts.switchBanner, { id, enabled: false }, author);
  expect(off).toEqual({ ...replaced, enabled: false });
  expect(await list()).toEqual([off]);

  await rig.ask(contracts.deleteBanner, { id }, author);
  expect(await list()).toEqual([]);
  expect(await eventsOf(id)).toEqual([
    { type: 'banner-created', data: made, preData: null },
    { type: 'banner-updated', data: replaced, preData: made },
    { type: 'banner-updated', data: off, preData: replaced },
    { type: 'banner-deleted', data: null, preData: off },
  ]);
});

it('has no event of a change that changes nothing', async () => {
  const { id, createdAt: _, ...definition } = await rig.ask(contracts.createBanner, whole);
  await rig.ask(contracts.updateBanner, { id, ...definition });
  await rig.ask(contracts.switchBanner, { id, enabled: false });
  expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['banner-created']);
});

it('stores texts as they are given, also empty ones, as forms send them', async () => {
  const texts = {
    message: '  two\r\nlines \u{1f6a9}  ',
    icon: '',
    link: '',
    linkText: '',
    dialogTitle: '',
    dialog: '',
  };
  await rig.ask(contracts.createBanner, texts);
  expect(await list()).toMatchObject([texts]);
});

it.each([
  ['message', ''],
  ['message', ' \n'],
  ['message', 'x'.repeat(1_001)],
  ['message', '[x](javascript:alert(1))'],
  ['message', '![x](http://example.com/pixel.png)'],
  ['message', '<img src=x onerror=alert(1)>'],
  ['message', null],
  ['dialog', '<script>alert(1)</script>'],
  ['dialog', '[x]: data:text/html,x'],
  ['dialog', 'x'.repeat(10_001)],
  ['link', 'javascript:alert(1)'],
  ['link', 'http://example.com'],
  ['link', '//example.com'],
  ['link', '/\\example.com'],
  ['link', '/\t/example.com'],
  ['link', ' https://example.com'],
  ['link', 'https://'],
  ['link', 'https:\\\\example.com'],
  ['link', 'example.com'],
  ['link', `https://example.com/${'x'.repeat(2_000)}`],
  ['icon', 'https://example.com/icon.png'],
  ['icon', '<b>'],
  ['icon', 'x'.repeat(51)],
  ['linkText', 'x'.repeat(256)],
  ['dialogTitle', 'x'.repeat(256)],
  ['variant', 'danger'],
  ['enabled', 'yes'],
  ['sticky', 1],
])('is refused with %s %j, and the message names the property', async (property, value) => {
  const definition = { message: 'fine', [property]: value } as never;
  const { code, message } = await refusal(rig.ask(contracts.createBanner, definition));
  expect(code).toBe('validation');
  expect(message).toContain(`.${property} `);
  expect(await list()).toEqual([]);
});

it.each(['dialog', '/', '/projects/default?tab=1#top', 'https://example.com', 'HTTPS://example.com/a?b=c#d'])(
  'may have the link %s',
  async (link) => {
    expect(await rig.ask(contracts.createBanner, { message: 'x', link })).toMatchObject({ link });
  },
);

it('is changed by whoever has the permission, and read by everybody', async () => {
  const { id } = await rig.ask(contracts.createBanner, whole, author);
  for (const ask of [
    () => rig.ask(contracts.createBanner, whole, viewer),
    () => rig.ask(contracts.updateBanner, { id, ...whole }, viewer),
    () => rig.ask(contracts.switchBanner, { id, enabled: true }, viewer),
    () => rig.ask(contracts.deleteBanner, { id }, viewer),
  ])
    expect(await refusal(ask())).toMatchObject({ code: 'no-access' });
  expect(await list()).toHaveLength(1);
});

it.each([2_147_483_647, 9_007_199_254_740_991, -1])('does not exist with the id %i', async (id) => {
  for (const ask of [
    () => rig.ask(contracts.updateBanner, { id, ...whole }),
    () => rig.ask(contracts.switchBanner, { id, enabled: true }),
    () => rig.ask(contracts.deleteBanner, { id }),
  ])
    expect(await refusal(ask())).toEqual({
      code: 'not-found',
      message: `Could not find the banner with ID "${id}".`,
    });
});

it('is refused beyond the limit, also when many are made at once, and fits again after a deletion', async () => {
  const { maxBanners } = contracts;
  while ((await list()).length < maxBanners - 3) await rig.ask(contracts.createBanner, { message: 'one of many' });
  const { won, codes } = await race(() => rig.ask(contracts.createBanner, { message: 'racer' }));
  expect({ won, codes }).toEqual({ won: 3, codes: ['limit-exceeded'] });
  const banners = await list();
  expect(banners).toHaveLength(maxBanners);
  await rig.ask(contracts.deleteBanner, { id: banners[0]!.id });
  await rig.ask(contracts.createBanner, { message: 'fits' });
});

it('is changed by two writers one after the other, and deleted once', async () => {
  const { id } = await rig.ask(contracts.createBanner, { message: 'at first' });
  await race((racer) => rig.ask(contracts.updateBanner, { id, message: `by ${racer}` }));
  const events = await eventsOf(id);
  // Each event begins with what the one before it left.
  for (const [index, { preData }] of events.entries()) if (index > 0) expect(preData).toEqual(events[index - 1]!.data);
  expect(await list()).toEqual([events.at(-1)!.data]);
  const { won, codes } = await race(() => rig.ask(contracts.deleteBanner, { id }));
  expect({ won, codes }).toEqual({ won: 1, codes: ['not-found'] });
});
