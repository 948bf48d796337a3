// Integrations in the console: their settings, health, redelivery of a range, permissions, and hostile texts.
import { addPerson, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { addFlag, addWebhook, startEndpoint } from '../testing/integrations.ts';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let admin: TestPerson;

beforeAll(async () => {
  admin = await addPerson(tested.system, rootRoles.admin);
});

const read = async (id: number) => (await tested.system.call('GET', `/api/admin/addons/${id}`)).body;
const openSettings = (id: number) => tested.open(`/integrations/${id}?view=settings`, { as: admin });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();

describe('the settings', () => {
  test('keep a stored secret that is not replaced', async () => {
    const endpoint = await startEndpoint();
    const id = await addWebhook(tested.system, endpoint.url);
    const page = await openSettings(id);
    await page.getByLabel('Description').fill('For the audit');
    await save(page);
    await page.getByText('For the audit').waitFor();
    await addFlag(tested.system, 'after-a-save');
    await expect.poll(() => endpoint.received.length).toBe(1);
    expect(await page.content()).not.toContain(endpoint.url);
  });

  test('ask for the secrets again when the destination changes, and keep what is put back', async () => {
    const endpoint = await startEndpoint();
    const other = await startEndpoint();
    const parameters = { url: endpoint.url, authorization: 'Bearer first-secret' };
    const id = await addWebhook(tested.system, endpoint.url, { parameters });
    const page = await openSettings(id);
    await page.getByRole('button', { name: 'Replace Webhook URL' }).click();
    await page.getByText('Enter it again.').waitFor();
    await page.getByRole('button', { name: 'Keep the stored value of Webhook URL' }).click();
    await page.getByText('Enter it again.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Replace Webhook URL' }).click();
    await page.getByLabel('Webhook URL').fill(other.url);
    tested.allow(/^400 PUT /);
    await save(page);
    await page.getByText('It should be sent again unmasked').waitFor();
    await page.getByRole('button', { name: 'Replace or remove Authorization' }).click();
    await page.getByLabel('Authorization').fill('Bearer second-secret');
    await save(page);
    await page.getByText('Nothing was sent yet').waitFor();
    await addFlag(tested.system, 'at-the-other');
    await expect
      .poll(() => other.received.map(({ headers }) => headers.authorization))
      .toEqual(['Bearer second-secret']);
    expect(endpoint.received).toEqual([]);
  });

  test('choose events by search and by group, projects and environments', async () => {
    const endpoint = await startEndpoint();
    const id = await addWebhook(tested.system, endpoint.url);
    const page = await openSettings(id);
    await page.getByLabel('Search in the types').fill('segment-');
    await page.getByRole('button', { name: 'Choose all of Strategies' }).click();
    await page.getByLabel('Search in the types').fill('feature-created');
    await page.getByRole('checkbox', { name: 'Flag created' }).uncheck();
    await page.getByRole('radio', { name: 'Only chosen environments' }).check();
    await page.getByRole('checkbox', { name: 'production' }).check();
    await save(page);
    await page.getByText('Nothing was sent yet').waitFor();
    const { events, projects, environments } = await read(id);
    expect(new Set(events)).toEqual(
      new Set(['segment-created', 'segment-updated', 'segment-deleted', 'segment-import']),
    );
    expect({ projects, environments }).toEqual({ projects: [], environments: ['production'] });
  });

  test('say that somebody else has changed them, and keep what was typed', async () => {
    const endpoint = await startEndpoint();
    const id = await addWebhook(tested.system, endpoint.url);
    const page = await openSettings(id);
    await page.getByLabel('Description').fill('Typed here');
    const body = { provider: 'webhook', enabled: true, parameters: { url: '*****' }, events: ['feature-archived'] };
    await tested.system.call('PUT', `/api/admin/addons/${id}`, { body });
    await page.getByText('Somebody else changed this integration').waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Typed here');
  });

  test('leave an integration as its switch has it, which nobody else has changed', async () => {
    const endpoint = await startEndpoint();
    const id = await addWebhook(tested.system, endpoint.url);
    const page = await openSettings(id);
    await page.getByRole('switch').click();
    await page.getByText('is off.').waitFor();
    expect(await page.getByText('Somebody else changed').count()).toBe(0);
    await page.getByLabel('Description').fill('Still off');
    await save(page);
    await expect.poll(() => read(id)).toMatchObject({ description: 'Still off', enabled: false });
  });

  test('keep their buttons below the notices of what was done', async () => {
    const endpoint = await startEndpoint();
    const page = await openSettings(await addWebhook(tested.system, endpoint.url));
    await page.getByRole('switch').click();
    const notice = page.getByText('is off.');
    await notice.waitFor();
    const button = page.getByRole('button', { name: 'Save', exact: true });
    await expect
      .poll(async () => {
        const [above, below] = [await notice.boundingBox(), await button.boundingBox()];
        return above!.y + above!.height < below!.y;
      })
      .toBe(true);
  });

  test('ask before what was typed is lost', async () => {
    const endpoint = await startEndpoint();
    const id = await addWebhook(tested.system, endpoint.url);
    const page = await openSettings(id);
    await page.getByLabel('Description').fill('Not saved');
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
    expect(await page.getByLabel('Description').inputValue()).toBe('Not saved');
  });
});

describe('an endpoint that fails', () => {
  test('is paused, the page says until when, and a range is sent again after its count', async () => {
    const { system } = tested;
    let status = 500;
    const endpoint = await startEndpoint((response) => response.writeHead(status).end());
    const id = await addWebhook(system, endpoint.url);
    for (let number = 1; number <= 10; number++) await addFlag(system, `paused-${number}`);
    const page = await tested.open('/integrations', { as: admin });
    await page
      .getByRole('listitem')
      .filter({ hasText: `Webhook ${id}` })
      .getByText('Paused')
      .waitFor();
    await page.getByRole('link', { name: `Webhook ${id}` }).click();
    await page.getByText('Nothing is sent until the pause ends.').waitFor();
    await page.getByText('Pause ends', { exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);

    await page.getByRole('switch', { name: `Webhook ${id} sends events` }).click();
    const question = page.getByRole('dialog', { name: `Switch Webhook ${id} off?` });
    await question.getByText('to be sent. Switched off').waitFor();
    await question.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText(`Webhook ${id} is off.`).waitFor();
    await page.getByLabel('Health').getByText('Off Nothing is sent.').waitFor();
    await page.getByRole('button', { name: /Send a range again.*is off/ }).waitFor();
    status = 200;
    await page.getByRole('switch', { name: `Webhook ${id} sends events` }).click();
    await page.getByText(`Webhook ${id} is on.`).waitFor();

    const before = endpoint.received.length;
    await page.getByRole('button', { name: 'Send a range again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a range again' });
    await dialog.getByLabel('From event').fill('x');
    await dialog.getByRole('status').getByText('Both ends are whole numbers from 1.').waitFor();
    await dialog.getByLabel('From event').fill('1');
    await dialog.getByLabel('To event').fill('100000');
    await dialog.getByText('10 deliveries are sent again.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Send 10 again' }).click();
    await page.getByText('10 events are sent again.').waitFor();
    await expect.poll(() => endpoint.received.length - before).toBe(10);
    await page.getByText('Working').waitFor();
  });

  test('is tested with the saved settings', async () => {
    const endpoint = await startEndpoint((response) => response.writeHead(418).end('a teapot'));
    const id = await addWebhook(tested.system, endpoint.url, { enabled: false });
    const page = await tested.open(`/integrations/${id}`, { as: admin });
    await page.getByRole('button', { name: 'Send a test' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test of the saved settings' });
    await dialog.getByText('Failed', { exact: true }).waitFor();
    await dialog.getByText('Status 418 after').waitFor();
    expect(endpoint.received).toHaveLength(1);
  });
});

test('an integration is made and deleted by keyboard alone', async () => {
  const endpoint = await startEndpoint();
  const page = await tested.open('/integrations', { as: admin });
  const press = async (name: string, role: 'link' | 'button') => {
    const control = page.getByRole(role, { name, exact: true }).last();
    await control.waitFor();
    for (let steps = 0; steps < 80; steps++) {
      if (await control.evaluate((element) => element === element.ownerDocument.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
  };
  await press('Webhook', 'link');
  await page.getByLabel('Webhook URL').focus();
  await page.keyboard.type(endpoint.url);
  await page.keyboard.press('Enter');
  await page.getByText('Nothing was sent yet').waitFor();
  await press('Delete', 'button');
  await page.getByRole('dialog', { name: /^Delete Webhook/ }).waitFor();
  // The page reads again every few seconds, and may do so before it has the answer to the deletion.
  tested.allow(/^404 GET \/api\/admin\/addons\/\d+\/events/);
  await press('Delete', 'button');
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor();
  await page.getByText('There is no integration yet').waitFor();
});

describe('without a permission', () => {
  test('a viewer sees integrations, and each control names what is missing', async () => {
    const endpoint = await startEndpoint();
    const id = await addWebhook(tested.system, endpoint.url);
    const page = await tested.open('/integrations', { as: await addPerson(tested.system, rootRoles.viewer) });
    await page.getByText('You need the permission “Create integrations” (CREATE_ADDON).').waitFor();
    expect(await page.getByRole('link', { name: 'Webhook', exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: `Webhook ${id}` }).click();
    await page.getByText('Deliveries are hidden').waitFor();
    await page.getByRole('switch', { name: /UPDATE_ADDON/ }).waitFor();
    await page.getByRole('button', { name: /^Send a test.*UPDATE_ADDON/ }).waitFor();
    await page.getByRole('button', { name: /^Delete.*DELETE_ADDON/ }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: /^Save.*UPDATE_ADDON/ }).waitFor();
  });
});

test('who may not read events of people in the log cannot choose them, nor every event', async () => {
  const page = await tested.open('/integrations/new/webhook', {
    as: await addPerson(tested.system, rootRoles.editor),
  });
  await page
    .getByText('For every event: You need the permission “Read the events of people in the event log” (READ_LOGS).')
    .waitFor();
  const everyEvent = page.getByRole('radio', { name: 'Every event' });
  await everyEvent.click({ force: true });
  expect(await everyEvent.isChecked()).toBe(false);
  await page.getByLabel('Search in the types').fill('user-created');
  const user = page.getByRole('checkbox', { name: 'User created' });
  await user.click({ force: true });
  expect(await user.isChecked()).toBe(false);
  expect(await findBarriers(page)).toEqual([]);
});

/** What a page must show as text. */
const hostile = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  '"><svg onload=alert(1)>',
  '\u202Etxt.exe\u202C',
  '{{constructor.constructor("alert(1)")()}}',
].join(' ');

test('texts of receivers, descriptions and events are text', async () => {
  const { system } = tested;
  const endpoint = await startEndpoint((response) =>
    response.writeHead(500, { 'content-type': 'text/html' }).end(hostile),
  );
  const id = await addWebhook(system, endpoint.url, { description: hostile });
  await addFlag(system, 'hostile', { description: hostile });
  const page = await tested.open('/integrations', { as: admin });
  page.on('dialog', () => {
    throw new Error('A script of a text has run.');
  });
  await page.getByText(hostile).waitFor();
  await page.getByRole('link', { name: `Webhook ${id}` }).click();
  await page.getByRole('button', { name: 'Show the attempts' }).click();
  const answer = page.getByRole('list', { name: 'Attempts' }).locator('pre').last();
  await expect.poll(() => answer.innerText()).toContain(hostile);
  await page.getByText('What was sent').click();
  await page.getByText('The event as JSON').click();
  expect(await page.locator('main img, main script, main svg, main a[href^="javascript"]').count()).toBe(0);
});
