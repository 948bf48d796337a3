import type { Actor, RequestContract } from '@yardarm/shared/contracts';
import type { PublishedEvent } from '@yardarm/shared/contracts/events';
import { expect } from 'vitest';
import type { z } from 'zod';
import type { FlagsRig } from '../flags-rig.ts';

/** What the catalogue describes of an event. What a test does not give is null. */
export type ExpectedEvent = Pick<PublishedEvent, 'type'> &
  Partial<Pick<PublishedEvent, 'project' | 'environment' | 'featureName' | 'data' | 'preData'>>;

/**
 * What the same request does when it is sent again: nothing, with or without an error that has this code, or as much
 * as the first one.
 */
export type Again = 'nothing' | 'not-found' | 'name-exists' | 'conflict' | 'bad-data' | 'the same';

export interface Write {
  operation: string;
  /** Sends the request, and returns how to send it again. */
  send(rig: FlagsRig): Promise<() => Promise<unknown>>;
  emits: readonly ExpectedEvent[];
  again: Again;
}

type Input<Contract extends RequestContract> = z.input<Contract['input']>;

/** A user with every permission. An admin token has no favorites. */
export const writer: Actor = { kind: 'user', id: 7, username: 'ed', grants: [{ permissions: ['ADMIN'] }] };

/** A request that changes data. `input` is a function when it has ids that an earlier write has given. */
export function write<Contract extends RequestContract>(
  contract: Contract,
  input: Input<Contract> | ((rig: FlagsRig) => Promise<Input<Contract>>),
  emits: readonly ExpectedEvent[],
  again: Again = 'nothing',
): Write {
  return {
    ...{ operation: contract.name, emits, again },
    async send(rig) {
      const find = input as (rig: FlagsRig) => Promise<Input<Contract>>;
      const sent = typeof input === 'function' ? await find(rig) : input;
      const ask = () => rig.ask(contract, sent, writer);
      await ask();
      return ask;
    },
  };
}

export const projectId = 'default';
export const environment = 'development';
export const anyTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown as string;
export const anyText = expect.any(String) as unknown as string;
export const anyNumber = expect.any(Number) as unknown as number;

export function ofFlag(featureName: string, ...events: ExpectedEvent[]): ExpectedEvent[] {
  return events.map((event) => ({ project: projectId, featureName, ...event }));
}

export function flagData(name: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ name, project: projectId, type: 'release', description: null, stale: false, impressionData: false },
    ...{ archived: false, createdAt: anyTime, lastSeenAt: null, archivedAt: null, ...changes },
  };
}

export function strategyData(featureName: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ id: anyText, name: 'default', title: null, disabled: false, featureName, sortOrder: 0, segments: [] },
    ...{ constraints: [], variants: [], parameters: {}, ...changes },
  };
}

/** The strategy of a flag that is switched on without one. */
export function defaultStrategyData(featureName: string): Record<string, unknown> {
  const parameters = { rollout: '100', stickiness: 'default', groupId: featureName };
  return strategyData(featureName, { name: 'flexibleRollout', parameters });
}

export function segmentData(name: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ id: anyNumber, name, description: null, project: null, constraints: [], createdBy: 'ed', createdAt: anyText },
    ...changes,
  };
}
