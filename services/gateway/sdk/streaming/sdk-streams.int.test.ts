// The places of streams with filters, over real sockets.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import type { AppError } from '@yardarm/shared/errors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OpenStreams, sdkTokenOf } from '../../routing/open-streams.ts';
import { changedFlag, scopeOf, snapshotChange } from '../../testing/snapshots.ts';
import { EnvironmentSnapshot } from '../snapshots/environment-snapshot.ts';
import type { Scope } from '../snapshots/scope.ts';
import { ScopeViews } from '../snapshots/views.ts';
import { SdkStreams } from './sdk-streams.ts';

const limits = { limit: 100, limitPerCaller: 4, callerOf: sdkTokenOf, whenFull: 'rate-limited' } as const;
const context = { requestId: 'r', actor: null, deadline: Date.now() + 60_000, traceparent: null };
const token: ResolvedToken = {
  ...{ id: 1, kind: 'client', name: 'sdk', selector: 'sdk', hash: '', expiresAt: null, environment: 'development' },
  ...{ projects: ['*'], actor: null, mustChangePassword: false },
};
const names = (length: number) => Array.from({ length }, (_, index) => `project-${index}`.padEnd(100, 'x'));

let server: Server;
let openStreams: OpenStreams;
let scope: Scope;
let answers: Response[];

beforeEach(async () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(snapshotChange({ isWhole: true, changed: [changedFlag('one')] }));
  openStreams = new OpenStreams(limits);
  const streams = new SdkStreams({ peek: () => snapshot, watch: () => () => {} }, new ScopeViews(0), openStreams);
  server = createServer(async (request, response) => {
    const client = {
      token,
      address: request.url!.slice(1),
      actor: null,
      authenticate: async () => ({ token, context }),
    };
    const sent = { scope, lastEventId: undefined, connectionId: undefined, hasAskedFlags: false };
    try {
      await streams.open({ response, ...client }, sent);
    } catch (error) {
      response.writeHead((error as AppError).status).end((error as AppError).message);
    }
  }).listen(0, '127.0.0.1');
  answers = [];
  await once(server, 'listening');
});
afterEach(async () => {
  openStreams.stop();
  for (const { body, bodyUsed } of answers) if (!bodyUsed) await body?.cancel();
  server.closeAllConnections();
  server.close();
});

async function open(address = '192.0.2.1'): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${address}`);
  answers.push(answer);
  return answer;
}

test('a stream with a long filter uses the share of several, and leaves that of other addresses alone', async () => {
  scope = scopeOf({ projects: names(50), isFiltered: true });
  expect((await open()).status).toBe(200);
  const refused = await open();
  expect(refused.status).toBe(429);
  expect(await refused.text()).toMatch(/You already have 4 streams.*With its filter, yours counts as 4 streams/);
  expect((await open('192.0.2.2')).status).toBe(200);
});

test('all addresses of an IPv6 network have one share, and another network has its own', async () => {
  scope = scopeOf();
  for (let n = 0; n < 4; n += 1) expect((await open(`2001:db8:1:2::${n}`)).status).toBe(200);
  expect((await open('2001:db8:1:2::5')).status).toBe(429);
  expect((await open('2001:db8:1:3::5')).status).toBe(200);
});

test('a stream with few names, and one with all projects of a long token, are one each', async () => {
  scope = scopeOf({ projects: names(10), namePrefix: 'a', tags: ['simple:a'], isFiltered: true });
  for (let n = 0; n < 3; n += 1) expect((await open()).status).toBe(200);
  scope = scopeOf({ projects: names(500) });
  expect([(await open()).status, (await open()).status]).toEqual([200, 429]);
});
