import { expect, it } from 'vitest';
import { bodyOf, type Draft, draftOf, mask, newDraft, type Provider, secretsToRepeat } from './draft.ts';

const provider: Provider = {
  name: 'webhook',
  displayName: 'Webhook',
  description: '',
  documentationUrl: '',
  events: ['feature-created'],
  parameters: [
    { name: 'url', displayName: 'URL', type: 'url', required: true, sensitive: true, destination: true },
    { name: 'authorization', displayName: 'Authorization', type: 'text', required: false, sensitive: true },
    { name: 'contentType', displayName: 'Content-Type', type: 'text', required: false, sensitive: false },
  ],
};

const stored: Draft = { ...newDraft(provider), parameters: { url: mask, authorization: mask, contentType: 'a/b' } };

it('a new integration begins with the events that its provider suggests', () => {
  expect(newDraft(provider).events).toEqual(['feature-created']);
});

it('what is empty is not sent, and a mask is', () => {
  const draft = { ...stored, description: ' A ', parameters: { url: mask, authorization: '', contentType: 'a/b' } };
  expect(bodyOf('webhook', draft)).toMatchObject({
    provider: 'webhook',
    description: 'A',
    parameters: { url: mask, contentType: 'a/b' },
  });
});

it('an integration that is opened and saved sends what it was', () => {
  const integration = {
    ...{ id: 3, provider: 'webhook', description: 'A', enabled: true, parameters: { url: mask } },
    ...{ events: ['*'], projects: ['default'], environments: [], maySendEventsOfPeople: true, createdAt: null },
  };
  const { id: _, maySendEventsOfPeople: __, createdAt: ___, ...sent } = integration;
  expect(bodyOf('webhook', draftOf(integration))).toEqual(sent);
});

it('a description that nobody gave is not sent, and one that is removed is', () => {
  expect(bodyOf('webhook', stored)).not.toHaveProperty('description');
  expect(bodyOf('webhook', { ...stored, description: '' })).toHaveProperty('description', '');
});

it('another destination asks for the secrets again that are masked', () => {
  expect(secretsToRepeat(provider, stored, stored)).toEqual([]);
  const moved = { ...stored, parameters: { ...stored.parameters, url: 'https://b.example' } };
  expect(secretsToRepeat(provider, stored, moved)).toEqual(['authorization']);
  const given = { ...moved, parameters: { ...moved.parameters, authorization: 'Bearer x' } };
  expect(secretsToRepeat(provider, stored, given)).toEqual([]);
});
