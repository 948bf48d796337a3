// Proves, with real endpoints, that large events are sent as they are, and that sends hold a bounded number of bytes.
import type { ServerResponse } from 'node:http';
import { eventually } from '@yardarm/testing';
import { expect, it } from 'vitest';
import { heldBytes } from '../metrics.ts';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';

const run = runningDeliveries();
/** An event is a message of the bus, at most a megabyte. */
const large = () => ({ data: { description: 'ü'.repeat(450_000) } });

async function held(): Promise<number> {
  const { values } = await heldBytes.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

it('an event of 900 kB is posted unchanged, with a template too, and its outcome has the beginning', async () => {
  const service = await run.rig.start();
  const [plain, rendering] = [await run.startEndpoint(status(202)), await run.startEndpoint(status(202))];
  const { id } = await run.rig.create({ url: plain.url });
  await run.rig.create({ url: rendering.url, parameters: { bodyTemplate: '{{{event.data.description}}}' } });
  const [recorded] = await run.rig.record(large());
  await service.processAll();

  expect(JSON.parse(plain.calls[0]!.body)).toMatchObject({ id: recorded!.id, data: recorded!.data });
  expect(rendering.calls.map(({ body }) => body)).toEqual([recorded!.data!.description]);
  const [outcome] = await run.rig.outcomes(id);
  expect(outcome).toMatchObject({ state: 'success', event: { id: recorded!.id } });
  expect((outcome!.details.body as string).length).toBe(64 * 1024 + 1);
  expect(await held()).toBe(0);
});

it('an event that is loaded for its send is not stored again as a body', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const { id } = await run.rig.create({ url: endpoint.url });
  await run.rig.record({ data: { description: 'x'.repeat(20_000) } });
  await service.processAll();
  const [delivery] = await run.deliveries();
  expect(delivery!.is_body_event).toBe(true);
  expect(JSON.stringify(delivery!.details)).not.toContain('xxx');
  expect((await run.rig.outcomes(id))[0]!.details.body).toBe(endpoint.calls[0]!.body);
});

it('endpoints that hold large events wait for each other, and each gets its event once', async () => {
  const service = await run.rig.start();
  const answers: ServerResponse[] = [];
  const endpoint = await run.startEndpoint((response) => answers.push(response));
  const count = 30;
  const integrations = Array.from({ length: count }, () => run.rig.create({ url: endpoint.url }));
  const ids = (await Promise.all(integrations)).map(({ id }) => id);
  await run.rig.record(large());
  // 128 MB, of which each send takes eight times its bytes.
  await eventually(() => expect(answers.length).toBeGreaterThanOrEqual(16));
  expect(await held()).toBeLessThan(150_000_000);
  const processed = service.processAll();
  await eventually(() => {
    for (const answer of answers) answer.end();
    expect(endpoint.calls).toHaveLength(count);
  });
  await processed;
  const keys = endpoint.calls.map(({ headers }) => headers['webhook-id']);
  expect(new Set(keys)).toEqual(new Set(ids.map((id) => `evt_${id}_${run.rig.head}`)));
  expect(await held()).toBe(0);
}, 20_000);
