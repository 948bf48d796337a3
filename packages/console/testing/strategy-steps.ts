import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach } from 'vitest';
import { rootRoles, type TestConsole } from './set-up-console.ts';

export const features = '/api/admin/projects/default/features';

/** A new flag for each test of the file, and an editor who opens it. */
export function setUpFlags(tested: TestConsole) {
  let editor: TestPerson;
  let count = 0;
  let flag: string;
  beforeAll(async () => {
    editor = await addPerson(tested.system, rootRoles.editor);
  });
  beforeEach(async () => {
    count += 1;
    flag = `strategies-${count}`;
    await administer(tested.system, 'POST', features, { name: flag });
  });

  const path = () => `/projects/default/features/${flag}`;
  const strategies = (environment: string, rest = '') =>
    `${features}/${flag}/environments/${environment}/strategies${rest}`;
  return {
    editor: () => editor,
    flag: () => flag,
    path,
    /** The path of the API to the strategies of the flag. */
    strategies,
    strategiesIn: (environment: string) => administer(tested.system, 'GET', strategies(environment)),
    /** Adds a strategy in development by the API. */
    add: (title: string, rollout: string) =>
      administer(tested.system, 'POST', strategies('development'), {
        ...{ name: 'flexibleRollout', title, parameters: { rollout } },
      }),
    open: () => tested.open(path(), { as: editor }),
    async openEditor(title: string): Promise<Page> {
      const page = await tested.open(path(), { as: editor });
      await page.getByRole('link', { name: title, exact: true }).click();
      await page.getByRole('heading', { name: 'Edit a strategy in development' }).waitFor();
      return page;
    },
  };
}

export const rolloutOf = (page: Page) => page.getByRole('spinbutton', { name: 'Rollout' });

/** Applies what is reviewed, and waits for a sentence that begins so. */
export async function apply(page: Page, sentence: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await page.getByText(new RegExp(`^${RegExp.escape(sentence)}`)).waitFor();
}
