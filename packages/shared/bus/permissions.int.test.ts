// Proves on a real server what the user of each service may not do, with the permissions that its contracts give it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { headers, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { eventually, startNatsWithUsers } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allRequests } from '../contracts/all.ts';
import { type RequestContract, type ServiceName, serviceNames } from '../contracts/contract.ts';
import { getFeature, listFeatures, listRevisions, revisionHint } from '../contracts/flags/index.ts';
import { type StreamContract, streams } from '../contracts/streams.ts';
import type { Bus } from './bus.ts';
import { connectBus } from './connect-bus.ts';
import { headerNames } from './headers.ts';
import { contextWith, dial, keepingLogger, thrownBy } from './testing/bus-rig.ts';

let nats: Awaited<ReturnType<typeof startNatsWithUsers>>;
let open: NatsConnection;

beforeAll(async () => {
  nats = await startNatsWithUsers('');
  const bus = await connectBus({ url: nats.url, name: 'events', prefix: '', log: keepingLogger().log });
  await bus.ensureStreams(['EVENTS', 'RECORDED', 'SIGNALS']);
  await bus.drain();
  open = await dial(nats.url);
});
afterAll(async () => {
  await open?.close();
  await nats?.stop();
});

const connectAs = (service: ServiceName, log = keepingLogger().log): Promise<Bus> =>
  connectBus({ url: nats.serviceUrls[service], name: service, prefix: '', log });

/** What the server refuses of `act`, by a service's user. */
async function refusedOf(service: ServiceName, act: (nc: NatsConnection) => void): Promise<string[]> {
  const nc = await dial(nats.serviceUrls[service]);
  const refused: string[] = [];
  const watching = (async () => {
    for await (const status of nc.status()) {
      if (status.type === 'error' && status.error instanceof PermissionViolationError)
        refused.push(status.error.subject);
    }
  })();
  act(nc);
  await nc.flush();
  await nc.close();
  await watching;
  return [...new Set(refused)].sort();
}

const refusedPublishes = (service: ServiceName, subjects: string[]) =>
  refusedOf(service, (nc) => {
    for (const subject of subjects) nc.publish(subject);
  });

const refusedSubscriptions = (service: ServiceName, subjects: string[]) =>
  refusedOf(service, (nc) => {
    for (const subject of subjects) nc.subscribe(subject, { callback: () => {} });
  });

const othersOf = (service: ServiceName) => serviceNames.filter((name) => name !== service);

test.each(serviceNames)('%s cannot receive requests of another service', async (service) => {
  const subjects = ['>', 'rpc.>', 'rpc.*.>', ...othersOf(service).map((name) => `rpc.${name}.>`)];
  subjects.push(...allRequests.filter((request) => request.service !== service).map(({ name }) => `rpc.${name}`));
  expect(await refusedSubscriptions(service, subjects)).toEqual(subjects.sort());
  expect(await refusedSubscriptions(service, [`rpc.${service}.>`])).toEqual([]);
});

test.each(serviceNames)('%s cannot answer for another service', async (service) => {
  const answers = serviceNames.flatMap((caller) => othersOf(service).map((name) => `_INBOX.${caller}.${name}.x.1`));
  expect(await refusedPublishes(service, answers)).toEqual(answers.sort());
});

test.each(serviceNames)('%s can send the requests that list it as a caller, and no other', async (service) => {
  const refused = await refusedPublishes(
    service,
    allRequests.map(({ name }) => `rpc.${name}`),
  );
  const others = allRequests.filter(({ callers }) => !callers.includes(service));
  expect(refused).toEqual(others.map(({ name }) => `rpc.${name}`).sort());
});

test.each(serviceNames)('%s cannot read the inbox of another service', async (service) => {
  const inboxes = ['_INBOX.>', '_INBOX.*', '_INBOX.*.>', `_INBOX.*.${service}.>`];
  inboxes.push(...othersOf(service).flatMap((name) => [`_INBOX.${name}.>`, `_INBOX.${name}.${service}.x`]));
  expect(await refusedSubscriptions(service, inboxes)).toEqual(inboxes.sort());
  expect(await refusedSubscriptions(service, [`_INBOX.${service}.>`])).toEqual([]);
});

test.each(serviceNames)('%s cannot publish what another service publishes', async (service) => {
  const subjects = othersOf(service).flatMap((name) => [`evt.${name}.feature-created`, `hint.${name}.token-changed`]);
  subjects.push(...(service === 'events' ? [] : ['recorded.feature-created']));
  subjects.push(...(service === 'gateway' ? [] : ['signal.1']));
  expect(await refusedPublishes(service, subjects)).toEqual(subjects.sort());
});

test.each(serviceNames)(
  '%s cannot delete or purge a stream, change another one or read the server',
  async (service) => {
    const subjects = Object.values<StreamContract>(streams).flatMap(({ name, keeper, readers, durables }) => [
      ...['DELETE', 'PURGE', 'MSG.DELETE', 'SNAPSHOT'].map((verb) => `$JS.API.STREAM.${verb}.${name}`),
      ...(service === keeper ? [] : [`$JS.API.STREAM.UPDATE.${name}`]),
      ...(readers.length > 1 ? [`$JS.API.CONSUMER.DELETE.${name}.flags-users`] : []),
      ...Object.entries(durables)
        .filter(([owner]) => owner !== service)
        .flatMap(([, own]) => own.map((durable) => `$JS.ACK.${name}.${durable}.1.1.1.1.1`)),
      ...(service === 'gateway' || ![keeper, ...readers].includes(service)
        ? [`$JS.API.CONSUMER.CREATE.${name}.x`, `$JS.API.CONSUMER.MSG.NEXT.${name}.x`, `$JS.API.STREAM.MSG.GET.${name}`]
        : []),
    ]);
    subjects.push('$JS.API.STREAM.CREATE.OTHER', '$JS.API.STREAM.NAMES', '$JS.API.DIRECT.GET.EVENTS');
    subjects.push('$SYS.REQ.SERVER.PING', '$JS.API.ACCOUNT.PURGE.G');
    expect(await refusedPublishes(service, subjects)).toEqual([...new Set(subjects)].sort());
    const seen = ['$SYS.>', '$JS.>', '$JS.EVENT.>', '$JS.API.>', 'evt.>', 'recorded.>', 'signal.>'];
    expect(await refusedSubscriptions(service, seen)).toEqual(seen.sort());
  },
);

test.each(['flags', 'accounts', 'signals'] as const)(
  '%s cannot use the durable of another service',
  async (service) => {
    const others = Object.entries(streams.EVENTS.durables).filter(([owner]) => owner !== service);
    const subjects = others.flatMap(([, own]) =>
      own.flatMap((durable) => [
        `$JS.API.CONSUMER.MSG.NEXT.EVENTS.${durable}`,
        `$JS.API.CONSUMER.CREATE.EVENTS.${durable}`,
        `$JS.API.CONSUMER.CREATE.EVENTS.${durable}.evt.none`,
        `$JS.API.CONSUMER.DURABLE.CREATE.EVENTS.${durable}`,
      ]),
    );
    // The form without a name in the subject, which could name any consumer in its body.
    subjects.push('$JS.API.CONSUMER.CREATE.EVENTS');
    expect(await refusedPublishes(service, subjects)).toEqual(subjects.sort());
  },
);

test('a durable cannot be made under the name that another has in the body of the request', async () => {
  const signals = await dial(nats.serviceUrls.signals, '_INBOX.signals');
  const config = { durable_name: 'flags-users', ack_policy: 'explicit', filter_subject: 'evt.none' };
  const answer = await signals.request(
    '$JS.API.CONSUMER.CREATE.EVENTS.signals-project-deleted.evt.none',
    JSON.stringify({ stream_name: 'EVENTS', config, action: 'create' }),
  );
  expect(answer.json()).toMatchObject({ error: { code: 400 } });
  await signals.close();
});

/** Stores a message of signals with an admin as its actor, and returns the function that directs it to a subject. */
async function storedForgery(nc: NatsConnection, payload: object) {
  const forged = headers();
  forged.set(headerNames.actor, JSON.stringify(contextWith().actor));
  nc.publish('evt.signals.forged', JSON.stringify(payload), { headers: forged });
  const name = 'signals-project-deleted';
  const config = { name, durable_name: name, ack_policy: 'explicit', filter_subject: 'evt.signals.forged' };
  const create = `$JS.API.CONSUMER.CREATE.EVENTS.${name}.evt.signals.forged`;
  const made = await nc.request(create, JSON.stringify({ stream_name: 'EVENTS', config, action: '' }));
  expect(made.json()).toMatchObject({ name });
  return (subject: string) => nc.publish(`$JS.API.CONSUMER.MSG.NEXT.EVENTS.${name}`, '1', { reply: subject });
}

test('a stored message that a service directs to a request or a hint of another one is ignored', async () => {
  const { log, lines } = keepingLogger();
  const flags = await connectAs('flags', log);
  const gateway = await connectAs('gateway');
  const handled: string[] = [];
  flags.serve(getFeature, async () => {
    handled.push('request');
    throw new Error('not reached');
  });
  gateway.onHint(revisionHint, () => handled.push('hint'));
  await Promise.all([flags.flush(), gateway.flush()]);
  const signals = await dial(nats.serviceUrls.signals, '_INBOX.signals');
  const payload = { projectId: 'default', featureName: 'x', environment: 'development', project: 'x', revision: 1 };
  const direct = await storedForgery(signals, payload);
  const watched: string[] = [];
  open.subscribe('*.flags.>', {
    callback: (_, { subject, headers: got }) => void watched.push(`${subject} ${got?.has(headerNames.actor)}`),
  });
  await open.flush();
  direct(`rpc.${getFeature.name}`);
  await eventually(() =>
    expect(lines.map(({ msg }) => msg)).toContain('a message that is no request arrived; it is ignored'),
  );
  // The server does deliver it, with the actor.
  expect(watched).toContain('evt.signals.forged true');
  const again = await storedForgery(signals, payload);
  again(`hint.${revisionHint.name}`);
  await eventually(() => expect(watched.length).toBeGreaterThan(1));
  await gateway.flush();
  expect(handled).toEqual([]);
  await signals.close();
  await Promise.all([flags.drain(), gateway.drain()]);
});

test('a stored message that a service directs into a stream of another one has no payload for its readers', async () => {
  const events = await connectAs('events');
  const integrations = await connectAs('integrations');
  const signals = await dial(nats.serviceUrls.signals, '_INBOX.signals');
  const direct = await storedForgery(signals, { id: 1, type: 'feature-created', createdBy: 'forged' });
  direct('recorded.feature-created');
  await eventually(async () => expect((await events.streamInfo('RECORDED')).lastSequence).toBe(1));
  await events.publish('recorded.feature-created', { id: 1 }, { msgId: 'own' });
  const read: unknown[] = [];
  const reading = integrations.read(
    { stream: 'RECORDED', maxBatch: 10, from: async () => ({ incarnation: null, lastSequence: 0 }) },
    async ({ messages }) => void read.push(...messages.map(({ payload }) => payload)),
  );
  await eventually(() => expect(read).toEqual(['a message of evt.signals.forged', { id: 1 }]));
  await reading.stop();
  await signals.close();
  await Promise.all([events.drain(), integrations.drain()]);
});

test('an answer of the server that a service directs to the JetStream API empties no stream', async () => {
  const events = await connectAs('events');
  const flags = await dial(nats.serviceUrls.flags, '_INBOX.flags');
  await flags.flush();
  for (const name of ['EVENTS', 'SIGNALS']) {
    const reply = `$JS.API.STREAM.PURGE.${name}`;
    flags.publish('evt.flags.feature-created', '{}', { reply });
    flags.publish('evt.flags.feature-created', '{}', { reply: `$JS.API.STREAM.MSG.DELETE.${name}` });
  }
  await flags.flush();
  const { messages } = await events.streamInfo('EVENTS');
  expect(messages).toBeGreaterThanOrEqual(4);
  for (const request of ['PURGE.EVENTS', 'PURGE.SIGNALS', 'MSG.DELETE.EVENTS']) {
    const answer = (await open.request(`$JS.API.STREAM.${request}`, '{"seq":1}')).json();
    expect(answer).toMatchObject({ error: { description: expect.stringMatching(/not permitted|denied/) } });
  }
  await flags.close();
  await events.drain();
});

test('a request whose answer would be a request is ignored', async () => {
  const flags = await connectAs('flags');
  let served = 0;
  flags.serve(listRevisions, async () => {
    served += 1;
    return { epoch: 'e', environments: [] } as never;
  });
  await flags.flush();
  const gateway = await dial(nats.serviceUrls.gateway, '_INBOX.gateway');
  const inboxes = ['rpc.flags.feature.get', '_INBOX.gateway.accounts.x.1', '_INBOX.gateway', 'evt.flags.x'];
  for (const reply of inboxes) gateway.publish(`rpc.${listRevisions.name}`, '{}', { reply });
  gateway.publish(`rpc.${listRevisions.name}`, '{}');
  await gateway.flush();
  await flags.flush();
  expect(served).toBe(0);
  await gateway.close();
  await flags.drain();
});

test.each<[string, (bus: Bus) => Promise<unknown>, RequestContract]>([
  ['a request', (bus) => bus.request(getFeature, { projectId: 'p', featureName: 'f' }, contextWith()), getFeature],
  [
    'a request of items',
    (bus) => Array.fromAsync(bus.requestItems(listFeatures, { projectId: 'p' }, contextWith())),
    listFeatures,
  ],
])('%s that the service may not send fails at once, and the log says why', async (_, send, { name }) => {
  const { log, lines } = keepingLogger();
  const accounts = await connectAs('accounts', log);
  const startedAt = performance.now();
  expect(await thrownBy(() => send(accounts))).toMatchObject({
    code: 'internal',
    message: `The user of NATS_URL may not send ${name}.`,
  });
  // The deadline is after 10 s.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 50,
      ...{ operation: 'publish', subject: `rpc.${name}`, user: 'accounts' },
      msg: 'NATS refuses this subject: the user of NATS_URL lacks the permission',
    }),
  );
  await accounts.drain();
});

test('a publish that the service may not make fails at once', async () => {
  const flags = await connectAs('flags');
  expect(await thrownBy(() => flags.publish('evt.accounts.user-created', {}, { msgId: 'x' }))).toMatchObject({
    code: 'unavailable',
    message: 'The user of NATS_URL may not publish to evt.accounts.user-created.',
  });
  await flags.drain();
});

test('a service whose user may not serve its requests does not start, and says why in one sentence', async () => {
  const { log, lines } = keepingLogger();
  const accounts = await connectAs('accounts', log);
  for (const contract of [getFeature, listFeatures, listRevisions]) accounts.serve(contract, async () => ({}) as never);
  accounts.onHint(revisionHint, () => {});
  expect(await thrownBy(() => accounts.flush())).toMatchObject({
    name: 'ConfigError',
    message:
      `The user of NATS_URL may not subscribe to rpc.${getFeature.name} and 3 other subjects, which accounts needs: ` +
      'give it the permissions that npm run nats-config prints for accounts.',
  });
  expect(lines.filter(({ level }) => level === 50)).toEqual([]);
  await accounts.drain();
});

test('a service that has started has a problem until its restart when a subscription is refused', async () => {
  const accounts = await connectAs('accounts');
  await accounts.flush();
  expect(accounts.state()).toMatchObject({ connected: true, problem: null });
  accounts.onHint(revisionHint, () => {});
  await eventually(() =>
    expect(accounts.state()).toMatchObject({
      connected: true,
      problem:
        `The user of NATS_URL may not subscribe to hint.${revisionHint.name}, which accounts needs: ` +
        'give it the permissions that npm run nats-config prints for accounts. Then restart it.',
    }),
  );
  await accounts.drain();
});

test('a process that connects in the background ends when its user may not subscribe', async () => {
  const script = `
    const { connectBus, connectInBackground } = await import(process.argv[1]);
    const { revisionHint } = await import(process.argv[2]);
    const quiet = { warn() {}, info() {}, error() {}, debug() {}, child: () => quiet };
    const options = { url: process.argv[3], name: 'accounts', prefix: '', log: quiet };
    connectInBackground(connectBus, options).onHint(revisionHint, () => {});
  `;
  const modules = ['index.ts', '../contracts/flags/index.ts'].map((file) => path.join(import.meta.dirname, file));
  const args = ['--input-type=module', '-e', script, ...modules, nats.serviceUrls.accounts];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (data) => (output += String(data)));
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(output).toContain(`The user of NATS_URL may not subscribe to hint.${revisionHint.name}`);
});
