import { actionRunSchema } from '@yardarm/shared/contracts/signals';
import { expect, it } from 'vitest';
import { type ListedRun, runText } from './run-text.ts';

const time = new Date('2026-06-01T12:00:00.000Z');
const written = { createdAt: time.toISOString(), createdByUserId: 1 };
const action = (id: number, sortOrder: number) => ({
  ...{ id, sortOrder, action: 'MARK_STALE', ...written },
  executionParams: { project: 'default', featureName: `flag-${id}` },
});

function someRun(changes: Partial<ListedRun> = {}): ListedRun {
  const actionSet = {
    ...{ id: 3, name: 'set', description: null, project: 'default', actorId: 12, enabled: true, cooldownSeconds: 0 },
    match: { source: 'signal-endpoint', sourceId: 2, payload: {} },
    actions: [action(7, 5), action(6, 1)],
    ...written,
  };
  return {
    ...{ id: 9, actionSetId: 3, signalId: 41, createdAt: time, state: 'failed', endpointId: 2 },
    actionSet: JSON.stringify(actionSet),
    steps: [
      { state: 'success', details: 'marked' },
      { state: 'failed', details: 'no' },
    ],
    signal: { tokenId: 5, createdAt: time, payload: '{"big":12345678901234567890,"huge":1e400}' },
    ...changes,
  };
}

it('a run has its signal, and its set with the states of the actions in their order', () => {
  const parsed = JSON.parse(runText(someRun()));
  expect(actionRunSchema.parse(parsed)).toEqual(parsed);
  expect(parsed).toMatchObject({ id: 9, actionSetId: 3, signalId: 41, state: 'failed', createdAt: time.toISOString() });
  expect(parsed.signal).toMatchObject({ id: 41, source: 'signal-endpoint', sourceId: 2, createdBySourceTokenId: 5 });
  expect(parsed.actionSet.actions).toMatchObject([
    { id: 6, state: 'success', details: 'marked' },
    { id: 7, state: 'failed', details: 'no' },
  ]);
});

it('the payload of its signal is the text that was sent', () => {
  expect(runText(someRun())).toContain('"payload":{"big":12345678901234567890,"huge":1e400}}}');
});

it('a run that waits is shown as started, and one whose signal was deleted has nothing invented', () => {
  const parsed = JSON.parse(runText(someRun({ state: 'waiting', signal: null })));
  expect(actionRunSchema.parse(parsed)).toEqual(parsed);
  expect(parsed.state).toBe('started');
  expect(parsed.signal).toEqual({
    ...{ id: 41, source: 'signal-endpoint', sourceId: 2 },
    ...{ createdBySourceTokenId: null, createdAt: null, payload: null },
  });
});
