import { expect, it } from 'vitest';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';

const run = runningDeliveries();

it('no answer, event, outcome or log line contains a secret', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const secrets = ['s3cret-path', 's3cret-authorization', 's3cret-refused', 's3cret-header'];
  const parameters = { authorization: 'Bearer s3cret-authorization' };
  const seen: unknown[] = [];
  const made = await run.rig.create({ url: `${endpoint.url}/s3cret-path`, parameters });
  seen.push(
    made,
    await run.rig.update(made.id, { description: 'x', parameters: { url: '*****', authorization: '*****' } }),
  );
  const refused: Parameters<typeof run.rig.create>[0][] = [
    { url: 'not-a-url-s3cret-refused' },
    { url: endpoint.url, parameters: { customHeaders: '{"x-key":"s3cret-header\\n"}' } },
    { url: endpoint.url, parameters: { authorization: 's3cret-refused\n' } },
  ];
  for (const bad of refused) {
    seen.push(
      await run.rig.create(bad).then(
        () => 'taken',
        (error: Error & { details?: unknown }) => [error.message, error.details],
      ),
    );
  }
  await run.rig.record({});
  await service.processAll();
  expect(endpoint.calls).toMatchObject([
    { path: '/hook/s3cret-path', headers: { authorization: 'Bearer s3cret-authorization' } },
  ]);
  endpoint.answer = status(500);
  await run.rig.record({});
  await service.processAll();
  run.closeEndpoints();
  await run.rig.record({});
  await service.processAll();
  seen.push(await run.rig.outcomes(made.id), await run.rig.events(), await run.attempts());
  const everything = JSON.stringify(seen) + run.rig.logged.join('\n');
  expect(everything).not.toContain('taken');
  for (const secret of secrets) expect(everything).not.toContain(secret);
});
