// Home: what needs attention, and the flags of the user.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let admin: TestPerson;

beforeAll(async () => {
  admin = await addPerson(tested.system, rootRoles.admin);
  await administer(tested.system, 'POST', '/api/admin/projects/default/features', { name: 'checkout' });
  await tested.system.processAll();
});

test('home says that nothing needs attention, then names what does, and has the flags of the user', async () => {
  const page = await tested.open('/', { as: admin });
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await page.getByText('Nothing at the moment.').waitFor();

  const { token } = admin;
  const path = '/api/admin/projects/default';
  await tested.system.call('POST', `${path}/stale`, { token, body: { features: ['checkout'], stale: true } });
  await tested.system.call('POST', `${path}/features/checkout/favorites`, { token, body: {} });
  // The page hears of both.
  await page.getByText('Time to clean up: 1 flag marked stale.').waitFor();
  await page.getByRole('list', { name: 'Your favourites' }).getByRole('link', { name: 'checkout' }).waitFor();
  await page.getByRole('list', { name: 'Flags you changed' }).getByRole('link', { name: 'checkout' }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole('link', { name: 'Clean up' }).click();
  await page.getByRole('heading', { name: 'Staleness', level: 1 }).waitFor();
});
