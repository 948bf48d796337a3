// Proves, with real deliveries, that a body template over the limits affects only its own integration.
import { expect, it } from 'vitest';
import { runningDeliveries } from '../testing/running-deliveries.ts';

const run = runningDeliveries();

/** 59 events in seven nested sections: two billion renderings. */
const bodyTemplate = `${'{{#event.data.events}}'.repeat(7)}${'{{/event.data.events}}'.repeat(7)}`;
const events = Array.from({ length: 59 }, (_, index) => `type-${index}`);

it('a template over the limits fails, delays no other integration, and leaves the circuit closed', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const costly = await run.rig.create({ url: endpoint.url, parameters: { bodyTemplate } });
  const other = await run.rig.create({ url: endpoint.url });
  await run.rig.record(...Array.from({ length: 12 }, (_, n) => ({ featureName: `flag-${n}`, data: { events } })));
  await service.processAll();

  const outcomes = await run.rig.outcomes(costly.id);
  expect(outcomes).toHaveLength(12);
  expect(outcomes[0]).toMatchObject({
    state: 'failed',
    stateDetails: 'The message was not sent: the body template takes more than 50000 steps to fill in for this event.',
    details: {},
  });
  expect((await run.attempts()).filter(({ error_code: code }) => code !== null)).toMatchObject(
    Array.from({ length: 12 }, () => ({ error_code: 'template', status: null })),
  );
  expect((await run.rig.outcomes(other.id)).map(({ state }) => state)).toEqual(Array(12).fill('success'));
  expect(await run.rig.db.kysely.selectFrom('integrations').select(['failures', 'paused_until']).execute()).toEqual([
    { failures: 0, paused_until: null },
    { failures: 0, paused_until: null },
  ]);

  // With a repaired template the waiting deliveries are sent.
  await run.rig.update(costly.id, { parameters: { url: endpoint.url, bodyTemplate: '{{event.data.events.length}}' } });
  await run.rig.passRetryTime();
  await service.processAll();
  expect(new Set(await run.states())).toEqual(new Set(['succeeded']));
  expect(endpoint.calls.filter(({ body }) => body === '59')).toHaveLength(12);
});
