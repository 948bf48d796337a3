// Dialogs that stay while they send, and the question before what was typed is lost.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { addWebhook } from '../testing/integrations.ts';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let admin: TestPerson;

beforeAll(async () => {
  admin = await addPerson(tested.system, rootRoles.admin);
});

/** Holds back what the page sends to the path until the test lets it go, and then refuses it. */
async function hold(page: Page, method: string, path: string) {
  tested.allow(new RegExp(`^503 ${method} `));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== method) return route.continue();
    await released;
    return route.fulfill({ status: 503, json: { message: 'Not now.' } });
  });
  return release;
}

/** Tries each way to close the dialog while it sends, then lets it end and closes it. */
async function staysUntil(page: Page, title: string, reason: string, release: () => void) {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByRole('button', { name: `Cancel (${reason})` }).click({ force: true });
  const close = dialog.getByRole('button', { name: 'Close', exact: true });
  expect(await close.getAttribute('title')).toBe(reason);
  expect(await close.getAttribute('aria-disabled')).toBe('true');
  await close.click({ force: true });
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  expect(await dialog.isVisible()).toBe(true);
  release();
  return dialog;
}

test('the question before an integration is deleted stays while it is sent, and says what came of it', async () => {
  const id = await addWebhook(tested.system, 'http://127.0.0.1:9/');
  const page = await tested.open(`/integrations/${id}`, { as: admin });
  const release = await hold(page, 'DELETE', `/api/admin/addons/${id}`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = await staysUntil(page, `Delete Webhook ${id}?`, 'The request is being sent.', release);
  await dialog.getByText('Not now.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('the review of a segment stays while it is sent', async () => {
  const constraint = { contextName: 'userId', operator: 'IN', values: ['7'] };
  const segment = { name: 'held', constraints: [constraint] };
  const { id } = await administer(tested.system, 'POST', '/api/admin/segments', segment);
  const features = '/api/admin/projects/default/features';
  await administer(tested.system, 'POST', features, { name: 'in-segment' });
  const strategy = { name: 'flexibleRollout', segments: [id], parameters: { rollout: '100' } };
  await administer(tested.system, 'POST', `${features}/in-segment/environments/development/strategies`, strategy);
  const page = await tested.open(`/segments/${id}`, { as: admin });
  const release = await hold(page, 'PUT', `/api/admin/segments/${id}`);
  await page.getByLabel('Add values').fill('8');
  await page.getByLabel('Add values').press('Enter');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  const title = 'Change who is in the segment held?';
  const dialog = await staysUntil(page, title, 'The change is being sent.', release);
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Not now.').waitFor();
});

test('two forms with something unsaved ask once before it is lost', async () => {
  const page = await tested.open('/projects/default/settings', { as: admin });
  const typed = [page.getByLabel('Description', { exact: true }).first(), page.getByLabel('Pattern')];
  for (const field of typed) await field.fill('typed');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  const leave = () => page.getByRole('link', { name: 'Projects', exact: true }).first().click();
  await leave();
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'detached' });
  for (const field of typed) expect(await field.inputValue()).toBe('typed');
  // Once the first form has nothing unsaved, the other one asks.
  await typed[0]!.fill('');
  await leave();
  await question.getByRole('button', { name: 'Stay' }).click();
  await typed[0]!.fill('typed');
  await leave();
  await question.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  expect(await question.count()).toBe(0);
});
