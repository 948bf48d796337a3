// The history of a flag in the console: its events, and what it was at a moment.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

// By its address: its types need those of a browser, which the tests do not have.
const past = await import(new URL('../src/flag/history/past.ts', import.meta.url).href);

/** What the test reads of a `PastFlag`. */
interface State {
  archived: boolean;
  environments: { name: string; enabled: boolean | null; strategies: { sortOrder: number }[] }[];
}

const tested = setUpConsole();
const features = '/api/admin/projects/default/features';
let editor: TestPerson;

beforeAll(async () => {
  editor = await addPerson(tested.system, rootRoles.editor);
});

/** Without the places of strategies, which are numbered anew when their order is taken back. */
const comparable = (flag: State | null) =>
  flag && {
    ...flag,
    environments: flag.environments.map((environment) => ({
      ...environment,
      strategies: environment.strategies.map(({ sortOrder: _sortOrder, ...strategy }) => strategy),
    })),
  };

test('each change of a flag is taken back to what the API had before it', async () => {
  const { system } = tested;
  const send = (method: string, path: string, body?: unknown) => administer(system, method, path, body);
  await send('POST', '/api/admin/projects', { id: 'other', name: 'Other' });
  await send('POST', features, { name: 'parent' });
  let project = 'default';
  const path = (rest = '') => `/api/admin/projects/${project}/features/past${rest}`;
  const strategies = (rest = '') => path(`/environments/development/strategies${rest}`);
  const read = () => send('GET', path());
  const states: { at: number; state: State | null; change: string }[] = [];
  const change = async (method: string, to: string, body?: unknown) => {
    const answer = await send(method, to, body);
    const { status, body: flag } = await system.call('GET', path());
    const state = status === 200 ? past.pastOf(flag, [], 0).flag : null;
    states.push({ at: Date.now(), state, change: `${method} ${to}` });
    return answer;
  };
  const rollout = (value: string) => ({ name: 'flexibleRollout', parameters: { rollout: value } });
  const blue = { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' };
  const patch = (name: string, value: unknown) => change('PATCH', path(), [{ op: 'replace', path: `/${name}`, value }]);

  states.push({ at: Date.now(), state: null, change: 'nothing' });
  await change('POST', features, { name: 'past', tags: [{ type: 'simple', value: 'made' }] });
  const one = await change('POST', strategies(), rollout('10'));
  const two = await change('POST', strategies(), rollout('20'));
  const order = [one, two].map(({ id }, index) => ({ id, sortOrder: 1 - index }));
  await change('POST', strategies('/set-sort-order'), order);
  await change('PATCH', strategies(`/${one.id}`), [{ op: 'replace', path: '/disabled', value: true }]);
  await change('POST', path('/environments/production/on'));
  await change('POST', path('/environments/development/on'));
  await change('PUT', path('/environments/development/variants'), [blue]);
  await change('PUT', path('/environments/development/variants'), [{ ...blue, name: 'sky' }]);
  await patch('description', 'Pays by card');
  await patch('type', 'experiment');
  await patch('stale', true);
  await patch('stale', false);
  await change('POST', path('/link'), { url: 'https://example.com/1', title: 'Plan' });
  await change('PUT', path(`/link/${(await read()).links[0].id}`), { url: 'https://example.com/2' });
  await change('DELETE', path(`/link/${(await read()).links[0].id}`));
  await change('POST', path('/dependencies'), { feature: 'parent', enabled: false });
  await change('POST', path('/dependencies'), { feature: 'parent', variants: ['blue'] });
  await change('DELETE', path('/dependencies'));
  await change('PUT', '/api/admin/features/past/tags', {
    ...{ addedTags: [{ type: 'simple', value: 'new' }], removedTags: [{ type: 'simple', value: 'made' }] },
  });
  await change('DELETE', '/api/admin/projects/default/environments/production');
  await change('POST', '/api/admin/projects/default/environments', { environment: 'production' });
  await change('DELETE', strategies(`/${two.id}`));
  await change('DELETE', path());
  await change('POST', '/api/admin/archive/revive/past');
  await change('POST', path('/changeProject'), { newProjectId: 'other' });
  project = 'other';
  await change('PATCH', strategies(`/${one.id}`), [{ op: 'replace', path: '/disabled', value: false }]);

  await system.processAll();
  const search = async (filter: string) => (await send('GET', `/api/admin/search/events?limit=1000&${filter}`)).events;
  const events = [
    ...(await search('feature=IS:past')),
    ...(await search(`type=IS_ANY_OF:${past.typesOfPlaces.join(',')}`)),
  ];
  const flag = await read();
  const isOnNotKnown: string[] = [];
  for (const { at, state, change: last } of states) {
    const found: { flag: State | null; unknown: string[] } = past.pastOf(flag, events, at);
    const isArchived = found.flag?.archived ?? false;
    // The API has no state of an archived flag, and the project of a moved one is in the address.
    if (isArchived || last.endsWith('changeProject')) continue;
    const production = found.flag?.environments.find(({ name }) => name === 'production');
    if (production?.enabled === null) {
      isOnNotKnown.push(last);
      production.enabled = true;
    }
    expect(comparable(found.flag), last).toEqual(comparable(state));
    expect(found.unknown.length > 0, last).toBe(isOnNotKnown.at(-1) === last);
  }
  // The project removes production, and the flag returns off.
  expect(isOnNotKnown.at(0)).toBe(`POST ${features}/past/environments/production/on`);
  expect(isOnNotKnown.at(-1)).toBe('PUT /api/admin/features/past/tags');
  expect(states.filter(({ state }) => state === null)).toHaveLength(3);
});

test('the history shows the events of the flag, and the flag as it was after one of them', async () => {
  const { system } = tested;
  await administer(system, 'POST', features, { name: 'shown', description: 'Pays by card' });
  const strategies = `${features}/shown/environments/production/strategies`;
  const { id } = await administer(system, 'POST', strategies, {
    ...{ name: 'flexibleRollout', title: 'For some', parameters: { rollout: '25' } },
  });
  await administer(system, 'POST', `${features}/shown/environments/production/on`);
  await administer(system, 'PATCH', `${strategies}/${id}`, [
    { op: 'replace', path: '/parameters', value: { rollout: '75' } },
  ]);
  await system.processAll();

  const page = await tested.open('/projects/default/features/shown', { as: editor });
  await page.getByRole('navigation', { name: 'Flag' }).getByRole('link', { name: 'History' }).click();
  await page.getByText('4 events').waitFor();
  await page
    .getByRole('button', { name: /^Show what event/ })
    .first()
    .click();
  await page.getByRole('row', { name: 'parameters.rollout 25 75' }).waitFor();

  await page
    .getByRole('link', { name: /^The flag then/ })
    .nth(1)
    .press('Enter');
  const then = page.getByRole('region', { name: 'production then' });
  await then.getByText('25 %').waitFor();
  await then.getByText('different now').waitFor();
  // The state is above the list, so the focus follows it.
  expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^As it was on/);
  await page.getByRole('region', { name: 'development then' }).getByText('as it is now').waitFor();
  expect(await findBarriers(page)).toEqual([]);

  // Before the flag was made, by keyboard.
  const moment = page.getByRole('textbox', { name: 'As it was on' });
  await moment.fill('2020-01-31T12:00:00');
  await moment.press('Enter');
  await page.getByText('There was no flag of this name').waitFor();
  expect(new URL(page.url()).searchParams.get('at')).toContain('2020-01-31');
  await page.getByRole('button', { name: 'Close' }).press('Enter');
  await expect.poll(() => page.getByText('There was no flag of this name').count()).toBe(0);
});

test('the history of an archived flag stays, and says that its past state is not known', async () => {
  await administer(tested.system, 'POST', features, { name: 'put-away' });
  await administer(tested.system, 'DELETE', `${features}/put-away`);
  await tested.system.processAll();
  tested.allow(/^404 GET \/api\/admin\/projects\/default\/features\/put-away$/);
  // The address of the event log of a flag in the public product.
  const page = await tested.open('/projects/default/features/put-away/logs', { as: editor });
  await page.getByText('2 events').waitFor();
  await page
    .getByRole('link', { name: /^The flag then/ })
    .last()
    .click();
  await page.getByText('The flag is archived or gone, so it is not known.').waitFor();
});
