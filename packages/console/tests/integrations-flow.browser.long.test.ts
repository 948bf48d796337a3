// An integration in the console: it is made, it fails, its reason is seen, and it is sent again.
import { addPerson, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, test } from 'vitest';
import { addFlag, startEndpoint } from '../testing/integrations.ts';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let admin: TestPerson;

beforeAll(async () => {
  admin = await addPerson(tested.system, rootRoles.admin);
});

test('a webhook is made, its failure is seen with what the receiver answered, and the event is sent again', async () => {
  const { system } = tested;
  let status = 503;
  const endpoint = await startEndpoint((response) => response.writeHead(status).end('<b>down</b> for the night'));
  const page = await tested.open('/integrations', { as: admin });
  await page.getByRole('link', { name: 'Webhook', exact: true }).click();
  await page.getByRole('heading', { name: 'New integration: Webhook' }).waitFor();

  tested.allow(/^400 POST /);
  const url = page.getByLabel('Webhook URL');
  await url.fill('not an address');
  await page.getByRole('button', { name: 'Make integration' }).click();
  await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true');
  await page.getByText('It should be a URL that begins with http:// or https://').waitFor();

  await url.fill(endpoint.url);
  await page.getByRole('button', { name: 'Make integration' }).click();
  await page.getByText('Nothing was sent yet').waitFor();
  await addFlag(system, 'sent-twice');
  await system.processAll();
  // Sooner than the next read.
  await page.reload();
  await page.getByText('Webhook request failed with status code: 503').waitFor();
  await page.getByRole('button', { name: 'Show the attempts' }).click();
  await page.getByText('<b>down</b> for the night').waitFor();
  await page.getByText('It is sent again').waitFor();
  expect(await findBarriers(page)).toEqual([]);

  status = 200;
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText(/Event \d+ is sent again\./).waitFor();
  await system.processAll();
  // The address says which delivery is open.
  await page.reload();
  await page.getByText('Attempt 2').waitFor();
  await page.getByText('Sent', { exact: true }).waitFor();
  expect(endpoint.received.length).toBeGreaterThanOrEqual(2);
  expect(JSON.parse(endpoint.received.at(-1)!.body)).toMatchObject({ featureName: 'sent-twice' });
});
