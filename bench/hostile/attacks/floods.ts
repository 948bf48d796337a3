// More requests than a gateway can answer, each of which costs it more than its sender.
import type { Attack } from '../attack.ts';
import { json } from './administration.ts';

/** Below the limit of reports. As gzip it is a thousandth of it. */
const compressibleBytes = 1_900_000;

export const compressedBodies: Attack = {
  name: 'compressed',
  title: 'bodies of 2 kB that have 2 MB, on 2,500 connections with one client token',
  plan({ url, sdkToken: authorization }) {
    const body = JSON.stringify({ appName: 'hostile', instanceId: 'a'.repeat(compressibleBytes) });
    const headers = { ...json, authorization, 'content-encoding': 'gzip' };
    return {
      ...{ kind: 'requests', url, connections: 2_500 },
      requests: [{ method: 'POST', path: '/api/client/metrics', headers, body, isCompressed: true }],
    };
  },
};

/** A token that is none, and another one each time. */
const headers = { authorization: '[<id>]' };
const refused = { method: 'GET' as const, path: '/api/admin/nothing', headers };

export const refusals: Attack = {
  name: 'refusals',
  title: 'requests for nothing with ever new tokens, on 400 connections',
  plan: ({ url }) => ({ kind: 'requests', url, connections: 400, requests: [refused] }),
};

export const pipelines: Attack = {
  name: 'pipelines',
  title: 'the same, 16 at once on each of 300 connections',
  plan: ({ url }) => ({ kind: 'requests', url, connections: 300, pipelining: 16, requests: [refused] }),
};

export const logins: Attack = {
  name: 'logins',
  title: 'logins of nobody, which wait for accounts, on 1,000 connections',
  plan({ url }) {
    const body = '{"username":"nobody-[<id>]","password":"[<id>]"}';
    const login = { method: 'POST' as const, path: '/auth/simple/login', headers: json, body };
    return { kind: 'requests', url, connections: 1_000, requests: [login] };
  },
};
