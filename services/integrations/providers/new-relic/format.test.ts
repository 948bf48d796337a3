import { expect, it } from 'vitest';
import { baseUrl, goldenEvent, somePublication } from '../../testing/publications.ts';
import { newRelicBody } from './format.ts';

it('an event is flat, of text and numbers, as the Event API documents it', () => {
  // https://docs.newrelic.com/docs/data-apis/ingest-apis/event-api/introduction-event-api/, "Format the JSON"
  const event = { ...goldenEvent, tags: [{ type: 'new-relic', value: 'shop' }] };
  expect(JSON.parse(newRelicBody(somePublication({ event }), baseUrl))).toEqual({
    eventType: 'UnleashServiceEvent',
    unleashEventId: 42,
    unleashEventType: 'feature-environment-enabled',
    label: 'Flag enabled',
    summary: 'ada@example.com enabled checkout for the production environment in project default',
    timestamp: Date.parse('2026-03-01T12:00:00.000Z'),
    createdBy: 'ada@example.com',
    createdByUserId: 1,
    featureName: 'checkout',
    project: 'default',
    environment: 'production',
    data: '{"rollout":50}',
    newRelicTags: 'shop',
  });
});

it('no attribute is longer than New Relic allows', () => {
  const event = { ...goldenEvent, data: { list: 'x'.repeat(10_000) } };
  expect(JSON.parse(newRelicBody(somePublication({ event }), null)).data.length).toBe(4_096);
});

it('a template makes the whole body, which stays JSON', () => {
  const event = { ...goldenEvent, featureName: 'a\\b\n"c' };
  const parameters = { bodyTemplate: '{"eventType":"Flags","flag":"{{event.featureName}}"}' };
  const body = newRelicBody(somePublication({ event, parameters }), null);
  expect(JSON.parse(body)).toEqual({ eventType: 'Flags', flag: 'a\\b\n&quot;c' });
});
