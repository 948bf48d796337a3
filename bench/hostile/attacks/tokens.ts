import type { Attack } from '../attack.ts';
import { json, largeProject, makeLargeProject } from './administration.ts';

const connections = 16;

/** As many tokens as one request may name. */
const named = 100;

export const unknownTokens: Attack = {
  name: 'tokens',
  title: 'guesses of tokens',
  plan: ({ url }) => ({
    ...{ kind: 'requests', url, connections },
    requests: [
      { method: 'GET', path: '/api/client/features', headers: { authorization: '[<token>]' } },
      {
        ...{ method: 'POST', path: '/edge/validate', headers: json },
        body: JSON.stringify({ tokens: Array.from({ length: named }, () => '[<token>]') }),
      },
    ],
  }),
};

/** Each has a filter of its own and all flags, so no two can share an answer. */
export const listings: Attack = {
  name: 'listings',
  title: 'listings with ever new filters of one SDK token',
  plan: ({ url, sdkToken: authorization }) => ({
    ...{ kind: 'requests', url, connections },
    requests: [
      { method: 'GET', path: '/api/client/features?project=default&project=[<id>]', headers: { authorization } },
    ],
  }),
};

/** Of flags of 9 MB, compressed: what a client cannot read before it is made. */
export const largeListings: Attack = {
  name: 'large-listings',
  title: 'compressed listings of 9 MB with ever new filters of one SDK token',
  prepare: (yardarm) => makeLargeProject(yardarm, largeProject),
  plan: ({ url, sdkToken: authorization }) => ({
    ...{ kind: 'requests', url, connections: 60 },
    requests: [
      {
        ...{ method: 'GET', path: `/api/client/features?project=${largeProject}&project=[<id>]` },
        headers: { authorization, 'accept-encoding': 'gzip' },
      },
    ],
  }),
};

/** More than an environment may have. */
export const applications: Attack = {
  name: 'applications',
  title: 'reports of ever new applications with a frontend token',
  plan({ url, frontendToken }) {
    const now = new Date().toISOString();
    const headers = { ...json, authorization: frontendToken };
    const registration = {
      appName: 'app-[<id>]',
      instanceId: '[<id>]',
      strategies: [],
      started: now,
      interval: 10_000,
    };
    const bucket = { start: now, stop: now, toggles: { 'flag-[<id>]': { yes: 1, no: 1, variants: {} } } };
    return {
      ...{ kind: 'requests', url, connections },
      requests: [
        { method: 'POST', path: '/api/frontend/client/register', headers, body: JSON.stringify(registration) },
        {
          ...{ method: 'POST', path: '/api/frontend/client/metrics', headers },
          body: JSON.stringify({ appName: 'app-[<id>]', instanceId: '[<id>]', bucket }),
        },
      ],
    };
  },
};

/** As many as a gateway has for all SDKs and providers together, from one address. */
const streamCount = 5_000;

export const streams: Attack = {
  name: 'streams',
  title: 'streams of one ticket and of one SDK token',
  async plan({ url, frontendToken, sdkToken }) {
    const response = await fetch(`${url}/ofrep/v1/evaluate/flags`, {
      ...{ method: 'POST', headers: { ...json, authorization: frontendToken } },
      body: JSON.stringify({ context: { targetingKey: 'a' } }),
    });
    const { eventStreams } = (await response.json()) as { eventStreams: { endpoint: { requestUri: string } }[] };
    const paths = [eventStreams[0]!.endpoint.requestUri, '/api/client/streaming'];
    return { kind: 'streams', url, connections: streamCount, paths, headers: { authorization: sdkToken } };
  },
};
