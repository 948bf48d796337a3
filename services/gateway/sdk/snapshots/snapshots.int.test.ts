// The snapshots of a gateway, over a real bus with a stand-in for flags.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, connectBus, connectInBackground } from '@yardarm/shared/bus';
import { fetchSnapshot, listRevisions, revisionHint } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import { eventually, longTest } from '@yardarm/testing';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { systemContext } from '../../system-context.ts';
import { changedFlag, scopeOf, snapshotChange } from '../../testing/snapshots.ts';
import { snapshotOf } from './snapshot-of.ts';
import { type Snapshots, startSnapshots } from './snapshots.ts';

const log = createLogger({ service: 'test', level: 'silent' });
let gateway: Bus;
let flags: Bus;
let snapshots: Snapshots;
/** The revision of each environment in flags. */
let revisions: Record<string, number>;
/** Those of other projects, in all environments. */
let others: Record<string, number>;
let fetchMs: number;
let fetched: string[];
/** The environment that flags does not send. */
let failing: string | null;
let changing: NodeJS.Timeout | undefined;

const tokenFields = {
  ...{ id: 1, kind: 'client' as const, name: 'sdk', selector: 'yd_sdk', hash: '', expiresAt: null },
  ...{ actor: null, mustChangePassword: false },
};

beforeEach(async () => {
  const options = { url: inject('natsUrl'), prefix: `t${randomBytes(6).toString('hex')}`, log };
  [gateway, flags] = await Promise.all([
    connectBus({ ...options, name: 'gateway' }),
    connectBus({ ...options, name: 'flags' }),
  ]);
  revisions = { development: 1 };
  others = {};
  fetchMs = 0;
  fetched = [];
  failing = null;
  flags.serve(listRevisions, async () => ({
    epoch: 'epoch-one',
    environments: Object.fromEntries(
      Object.entries(revisions).map(([name, revision]) => [name, { ...others, default: revision }]),
    ),
    featureTypes: [],
  }));
  flags.serve(fetchSnapshot, async ({ environment }) => {
    fetched.push(environment);
    if (environment === failing) throw new AppError('unavailable', 'flags is ill');
    const revision = revisions[environment]!;
    const changed = [changedFlag(`flag-${revision}`)];
    if (fetchMs > 0) await sleep(fetchMs);
    return snapshotChange({ isWhole: true, revisions: { ...others, default: revision }, changed }) as never;
  });
  await flags.flush();
  snapshots = startSnapshots(gateway, log);
  await snapshots.synchronise();
  await snapshots.of('development');
});

afterEach(async () => {
  clearInterval(changing);
  snapshots.stop();
  await Promise.all([gateway.drain(), flags.drain()]);
});

function change(environment = 'development'): void {
  revisions[environment]! += 1;
  flags.hint(revisionHint, { environment, project: 'default', revision: revisions[environment]! });
}

const revisionOf = (environment: string) => snapshots.peek(environment)?.revisionOf(scopeOf({ environment }));

test('a change arrives in an environment whose revisions are larger than a message', async () => {
  others = Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`project-${n}`.padEnd(100, 'x'), 1]));
  for (const revision of [2, 3]) {
    change();
    await snapshots.synchronise();
    expect(snapshots.peek('development')?.flag(`flag-${revision}`)).not.toBeNull();
  }
});

/** Changes the environment more often than it can be fetched, until the end of the test. */
function changeWithoutEnd(ofFetchMs: number): void {
  fetchMs = ofFetchMs;
  changing = setInterval(change, 10);
}

longTest('an environment that changes without end does not keep the gateway from new ones', async () => {
  changeWithoutEnd(100);
  // Two seconds: meanwhile the poll has begun.
  await eventually(() => expect(revisionOf('development')).toBeGreaterThan(200));
  revisions.production = 7;
  await eventually(() => expect(revisionOf('production')).toBe(7), 10_000);
});

test('a reader that is ahead is answered by a fetch that began after it, while changes never end', async () => {
  // The fetch in flight and the next one take a fifth of the time that a reader waits.
  changeWithoutEnd(25);
  await eventually(() => expect(revisionOf('development')).toBeGreaterThan(20));
  for (let round = 0; round < 5; round += 1) {
    // On a busy machine a fetch may take longer than a reader waits.
    await eventually(async () => {
      const seen = revisions.development!;
      expect(await snapshots.catchUp(snapshots.peek('development')!)).toBe(true);
      expect(revisionOf('development')).toBeGreaterThanOrEqual(seen);
    });
  }
});

test('changes during a fetch cause one more', async () => {
  fetchMs = 100;
  const before = fetched.length;
  change();
  await eventually(() => expect(fetched).toHaveLength(before + 1));
  for (let number = 0; number < 20; number += 1) change();
  await eventually(() => expect(revisionOf('development')).toBe(revisions.development));
  await snapshots.synchronise();
  expect(fetched).toHaveLength(before + 2);
});

test('the first read of an environment has what a hint reported, also while the poll fetches it', async () => {
  revisions.production = 1;
  await snapshots.synchronise();
  fetchMs = 100;
  const before = fetched.length;
  change('production');
  await flags.flush();
  const polled = snapshots.synchronise();
  await eventually(() => expect(fetched.length).toBeGreaterThan(before));
  await snapshots.of('production');
  expect(revisionOf('production')).toBe(2);
  await polled;
});

test('readers that come together to an environment that nobody read have all what a hint reported', async () => {
  revisions.production = 1;
  await snapshots.synchronise();
  fetchMs = 50;
  change('production');
  await flags.flush();
  // The hint has arrived when the answer to a later request has.
  await gateway.request(listRevisions, {}, systemContext(5_000));
  const read = await Promise.all([1, 2, 3].map(() => snapshots.of('production')));
  expect(read.map((snapshot) => snapshot!.revisionOf(scopeOf({ environment: 'production' })))).toEqual([2, 2, 2]);
});

test('a gateway asks flags as soon as NATS is reached, and does not wait for the next poll', async () => {
  const reached = Promise.withResolvers<Bus>();
  const background = connectInBackground(() => reached.promise, {
    url: inject('natsUrl'),
    name: 'gateway',
    prefix: 't',
    log,
  });
  const started = startSnapshots(background, log, { pollMs: 3_600_000 });
  await eventually(() => expect(started.health()).toMatch('no connection to NATS'));
  reached.resolve(gateway);
  await eventually(() => expect(started.health()).toBeNull());
  expect(started.peek('development')).not.toBeNull();
  started.stop();
});

test('environments are loaded one after another, the one that SDKs ask for next, and a failure keeps none out', async () => {
  revisions = { development: 1, production: 1, qa: 1, staging: 1 };
  fetchMs = 100;
  fetched = [];
  failing = 'production';
  const started = startSnapshots(gateway, log, { pollMs: 3_600_000 });
  await eventually(() => expect(fetched).toEqual(['development']));
  expect(started.problem('staging')).toBe('flags has not sent every environment yet');
  await eventually(() => expect(started.health()).toMatch('not loaded yet: production: flags is ill'));
  expect(fetched).toEqual(['development', 'staging', 'production', 'qa']);
  failing = null;
  await started.synchronise();
  expect(started.health()).toBeNull();
  started.stop();
});

test('a token whose environment was deleted has no flags, also before flags has answered', async () => {
  await flags.drain();
  const waiting = startSnapshots(gateway, log);
  const token = { ...tokenFields, environment: 'development', projects: ['*'] };
  expect(() => snapshotOf(waiting, token)).toThrow(expect.objectContaining({ code: 'unavailable' }));
  const snapshot = await snapshotOf(waiting, { ...token, environment: null, projects: [] });
  expect(snapshot.contents().flags).toEqual([]);
  waiting.stop();
});
