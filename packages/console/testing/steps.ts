import { administer, type TestSystem } from '@yardarm/testing';
import type { BrowserContext, Page, Request } from 'playwright-core';

/** Fills the form of the login and sends it. */
export async function logInAs(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('User name or email').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Whether the API has the flag of the project `default` on. */
export async function isOn(system: TestSystem, feature: string, environment: string): Promise<boolean> {
  const path = `/api/admin/projects/default/features/${feature}/environments/${environment}`;
  return (await administer(system, 'GET', path)).enabled;
}

/** Waits until the page shows the flag on or off in the environment. */
export function showsSwitch(page: Page, feature: string, environment: string, checked: boolean): Promise<void> {
  return page.getByRole('switch', { name: `${feature} in ${environment}`, checked }).waitFor();
}

/** The event streams that the pages of the profile open from now on. */
export function noteStreams(context: BrowserContext): Request[] {
  const opened: Request[] = [];
  context.on('request', (request) => {
    if (request.resourceType() === 'eventsource') opened.push(request);
  });
  return opened;
}

/** Leaves the page, which may not have opened its stream yet, and notes those that the profile opens from then on. */
export async function noteNextStreams(page: Page): Promise<Request[]> {
  await page.goto('about:blank');
  return noteStreams(page.context());
}
