import type { ActionRun } from '@yardarm/shared/contracts/signals';
import type { RunState, StepState } from './run.ts';

export interface ListedRun {
  id: number;
  actionSetId: number;
  signalId: number;
  createdAt: Date;
  state: RunState;
  /** JSON text: the set when the signal matched. */
  actionSet: string;
  /** The states of the steps, in the order of the actions. */
  steps: { state: StepState; details: string | null }[];
  endpointId: number;
  signal: { tokenId: number; createdAt: Date; payload: string } | null;
}

type RunWithoutPayload = Omit<ActionRun, 'signal'> & { signal: Omit<ActionRun['signal'], 'payload'> };

/**
 * A run as JSON text. The payload is put into it as it was sent. A signal without a row is one that retention deleted
 * before its run; its token, time and payload are null.
 */
export function runText(run: ListedRun): string {
  const { id, actionSetId, signalId, createdAt, state, steps, endpointId, signal } = run;
  const actionSet = JSON.parse(run.actionSet);
  const actions = [...actionSet.actions].sort((a, b) => a.sortOrder - b.sortOrder);
  const withoutPayload: RunWithoutPayload = {
    ...{ id, actionSetId, signalId, createdAt: createdAt.toISOString() },
    state: state === 'waiting' ? 'started' : state,
    actionSet: {
      ...actionSet,
      actions: actions.map((action, index) => ({
        ...action,
        ...(steps[index] ?? { state: 'not started', details: null }),
      })),
    },
    signal: {
      ...{
        id: signalId,
        source: 'signal-endpoint',
        sourceId: endpointId,
        createdBySourceTokenId: signal?.tokenId ?? null,
      },
      createdAt: signal?.createdAt.toISOString() ?? null,
    },
  };
  // The signal is the last property, and its last property is the payload.
  return `${JSON.stringify(withoutPayload).slice(0, -2)},"payload":${signal?.payload ?? 'null'}}}`;
}
