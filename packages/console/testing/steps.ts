import type { Page } from 'playwright-core';

/** Fills the form of the login and sends it. */
export async function logInAs(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('User name or email').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}
