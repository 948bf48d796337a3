// The main ways through the console with the keyboard alone.
import { addPerson, administer } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { isOn } from '../testing/steps.ts';

const tested = setUpConsole();

/** More stops than any screen has. */
const maxStops = 120;

/** Presses Tab until the focus is on the control, and fails if no stop is it. */
async function tabTo(page: Page, role: 'button' | 'link' | 'switch' | 'textbox' | 'combobox', name: string) {
  const control = page.getByRole(role, { name }).first();
  await control.waitFor();
  for (let stop = 0; stop < maxStops; stop++) {
    if ((await control.and(page.locator(':focus')).count()) === 1) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`No press of Tab reaches the ${role} "${name}".`);
}

/** Waits until the focus is within the content of the page: the next press of Tab goes on from there. */
async function hasFocusIn(page: Page) {
  // A notice that closes after 10 s would bring it back too.
  await page.locator('main:focus, main :focus').first().waitFor({ timeout: 5_000 });
}

test('logging in, switching a flag and taking it back', async () => {
  const { system } = tested;
  const person = await addPerson(system, rootRoles.editor);
  await administer(system, 'POST', '/api/admin/projects/default/features', { name: 'checkout' });
  const page = await tested.open('/features');
  await tabTo(page, 'textbox', 'User name or email');
  await page.keyboard.type(person.username);
  await tabTo(page, 'textbox', 'Password');
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
  await tabTo(page, 'switch', 'checkout in development');
  await page.keyboard.press('Space');
  await page.getByText('Switched checkout on in development.').waitFor();
  expect(await isOn(system, 'checkout', 'development')).toBe(true);
  await tabTo(page, 'button', 'Undo');
  await page.keyboard.press('Enter');
  await page.getByText('Switched checkout off in development.').waitFor();
  expect(await isOn(system, 'checkout', 'development')).toBe(false);
  await hasFocusIn(page);
});

test('the focus stays in the page when what had it is gone', async () => {
  const { system } = tested;
  await administer(system, 'POST', '/api/admin/projects/default/features', { name: 'refund' });
  const page = await tested.open('/features?q=refund', { as: await addPerson(system, rootRoles.editor) });
  await page.getByLabel('Select every flag of the list').check();
  await tabTo(page, 'button', 'Stale');
  await page.keyboard.press('Enter');
  await tabTo(page, 'button', 'Apply');
  await page.keyboard.press('Enter');
  await page.getByText('Marked one flag as stale.').waitFor();
  await hasFocusIn(page);

  await tabTo(page, 'link', 'refund');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'refund', level: 1 }).waitFor();
  await hasFocusIn(page);

  await tabTo(page, 'button', 'Add a strategy');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Review and add' }).waitFor();
  await hasFocusIn(page);
  await tabTo(page, 'button', 'Review and add');
  await page.keyboard.press('Enter');
  await tabTo(page, 'button', 'Apply');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'refund', level: 1 }).waitFor();
  await page.getByRole('dialog', { name: 'Change refund' }).waitFor({ state: 'detached' });
  await hasFocusIn(page);
});

test('a question before production has the focus, and Escape gives it back', async () => {
  const { system } = tested;
  await administer(system, 'POST', '/api/admin/projects/default/features', { name: 'payments' });
  const page = await tested.open('/projects/default/features/payments', {
    as: await addPerson(system, rootRoles.editor),
  });
  await tabTo(page, 'switch', 'payments in production');
  await page.keyboard.press('Space');
  const question = page.getByRole('dialog');
  await question.waitFor();
  await question.locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  await page.getByRole('switch', { name: 'payments in production' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Space');
  await tabTo(page, 'button', 'Apply');
  await page.keyboard.press('Enter');
  await page.getByText('Switched payments on in production.').waitFor();
  expect(await isOn(system, 'payments', 'production')).toBe(true);
});

test('a new flag', async () => {
  const page = await tested.open('/features', { as: await addPerson(tested.system, rootRoles.editor) });
  await tabTo(page, 'button', 'New flag');
  await page.keyboard.press('Enter');
  await tabTo(page, 'textbox', 'Name');
  await page.keyboard.type('typed');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'typed', level: 1 }).waitFor();
});

test('the first run', async () => {
  const page = await tested.open('/welcome', { as: await addPerson(tested.system, rootRoles.editor) });
  await tabTo(page, 'textbox', 'Name of the flag');
  await page.keyboard.press('Enter');
  await tabTo(page, 'combobox', 'SDK');
  await page.keyboard.type('Py');
  await tabTo(page, 'button', 'Make token');
  await page.keyboard.press('Enter');
  await page.getByText('from UnleashClient import UnleashClient').waitFor();
  await tabTo(page, 'button', 'Run an SDK in this page');
  await page.keyboard.press('Enter');
  await page.getByText('new-checkout is off', { exact: true }).waitFor();
  await tabTo(page, 'switch', 'new-checkout in development');
  await page.keyboard.press('Space');
  await page.getByText('new-checkout is on', { exact: true }).waitFor();
});
