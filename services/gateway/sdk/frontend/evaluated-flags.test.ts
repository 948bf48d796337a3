// Proves that the text of evaluated flags takes slices of time, with the longest payloads, and that it has a limit.
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { expect, test } from 'vitest';
import { EnvironmentSnapshot } from '../snapshots/environment-snapshot.ts';
import { evaluateFlags } from './evaluated-flags.ts';
import { maxTextBytes, TextForm } from './evaluated-text.ts';

const token = { id: 1, projects: ['*'], environment: 'development' } as unknown as ResolvedToken;
const payloadLength = 450_000;

const form = new TextForm({
  begin: '[',
  end: ']',
  write: ({ name }, { enabled, variant }) => (enabled ? JSON.stringify({ name, variant }) : ''),
});

function snapshotOf(count: number, payload: string): EnvironmentSnapshot {
  const snapshot = new EnvironmentSnapshot('development');
  const variants = [{ name: 'v', weight: 1000, payload: { type: 'string' as const, value: payload } }];
  snapshot.apply({
    ...{ epoch: '1', revisions: { default: 1 }, isWhole: true, removed: [], changedSegments: [], removedSegments: [] },
    changed: Array.from({ length: count }, (_, n) => ({
      tags: [],
      feature: {
        ...{ name: `flag-${n}`, project: 'default', type: 'release', enabled: true, stale: false },
        ...{ impressionData: false, description: null, dependencies: [], strategies: [], variants },
      },
    })),
  });
  return snapshot;
}

const evaluate = (snapshot: EnvironmentSnapshot) =>
  evaluateFlags(snapshot, { token, context: { userId: '7' }, deadline: Date.now() + 60_000 }, form);

/** How many turns other work gets until the promise is settled. */
async function turnsUntil(promise: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const watch = () => {
    turns += 1;
    if (!isDone) setImmediate(watch);
  };
  watch();
  await promise;
  isDone = true;
  return turns;
}

test('the first evaluation after a start compiles the flags in many slices', async () => {
  const snapshot = snapshotOf(60, 'x'.repeat(payloadLength));
  const nothing = new TextForm({ begin: '[', end: ']', write: () => '' });
  const request = { token, context: {}, deadline: Date.now() + 60_000 };
  const text = Promise.resolve(evaluateFlags(snapshot, request, nothing));
  expect(await turnsUntil(text)).toBeGreaterThan(5);
  expect((await text).bytes().toString()).toBe('[]');
});

test('a text of 3.6 MB takes several slices, between which other work runs', async () => {
  const snapshot = snapshotOf(8, 'x'.repeat(payloadLength));
  const evaluating = Promise.resolve(evaluate(snapshot));
  expect(await turnsUntil(evaluating)).toBeGreaterThan(2);
  const text = await evaluating;
  const flags = JSON.parse(text.bytes().toString()) as { name: string; variant: { payload: { value: string } } }[];
  expect(flags).toHaveLength(8);
  expect(flags.at(-1)!.variant.payload.value).toHaveLength(payloadLength);
});

test('a text beyond the limit of bytes is refused', async () => {
  const snapshot = snapshotOf(Math.ceil(maxTextBytes / payloadLength) + 1, 'x'.repeat(payloadLength));
  await expect(evaluate(snapshot)).rejects.toMatchObject({
    ...{ code: 'unprocessable', message: /more than 30000000 bytes|too long to send/ },
  });
});

test('a changed flag has its new text', async () => {
  const snapshot = snapshotOf(2, 'old');
  expect((await evaluate(snapshot)).bytes().toString()).toContain('old');
  const [changed] = snapshotOf(1, 'new').contents().flags;
  snapshot.apply({
    ...{ epoch: '1', revisions: { default: 2 }, isWhole: false, removed: [], changedSegments: [], removedSegments: [] },
    changed: [{ tags: [], feature: JSON.parse(changed!.bytes.toString()) }],
  });
  const flags = JSON.parse((await evaluate(snapshot)).bytes().toString()) as {
    variant: { payload: { value: string } };
  }[];
  expect(flags.map(({ variant }) => variant.payload.value)).toEqual(['new', 'old']);
});
