import type { Database } from '@yardarm/shared/db';
import { keyringOf } from '@yardarm/shared/encryption';
import { createLogger } from '@yardarm/shared/log';
import { eventually } from '@yardarm/testing';
import { expect, test } from 'vitest';
import type { IntegrationsTables } from '../db/schema.ts';
import type { StoredIntegration } from '../integrations/integration.ts';
import type { IntegrationProvider, Providers, SendResult } from '../providers/index.ts';
import { closedCircuit } from './circuit.ts';
import type { ClaimedDelivery } from './claims.repo.ts';
import { maxInFlight, SendQueue } from './send-queue.ts';
import { SendSlots } from './send-slots.ts';

const integration: StoredIntegration = {
  ...{ id: 1, provider: 'webhook', description: null, enabled: true, parameters: { keyId: null, text: '{}' } },
  ...{ events: ['*'], projects: [], environments: [], maySendEventsOfPeople: true, fromEventId: 0, version: 1 },
  ...{ createdAt: null, circuit: closedCircuit },
};
const success: SendResult = {
  ...{ state: 'success', stateDetails: '', details: {}, status: 200, errorCode: null, responseBody: null },
  ...{ next: 'done', retryAfter: null, progress: null },
};

const deliveries = (first: number, count: number): ClaimedDelivery[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ integrationId: 1, eventId: first + n, claim: `claim-${first + n}`, attempt: 1, scheduled: 1, progress: null },
    ...{ eventJson: `{"id":${first + n}}`, eventBytes: 10, traceparent: null, epoch: null, hasMore: false },
  }));

/**
 * A queue with so many sends and bytes in each pool of the process. `answers` ends the sends in flight, in their order.
 */
function startQueue({ permits = 256, bytes = 1_000_000 } = {}) {
  const answers: (() => void)[] = [];
  const publish = () => new Promise<SendResult>((resolve) => answers.push(() => resolve(success)));
  const provider = { definition: {}, publish, problems: () => [] } as unknown as IntegrationProvider;
  const providers: Providers = new Map([['webhook', provider]]);
  const freed: number[] = [];
  const slots = new SendSlots({ permits, bytes }, (callers) => freed.push(...callers));
  const signals = { stopping: new AbortController().signal, cutOff: new AbortController().signal };
  const log = createLogger({ service: 'test', level: 'fatal' });
  const keys = keyringOf(Buffer.alloc(32, 1), []);
  // No event here is so large that it is loaded.
  const db = {} as Database<IntegrationsTables>;
  return { queue: new SendQueue({ db, providers, keys, log, slots, ...signals }, 1, () => {}), answers, slots, freed };
}

test('what was claimed while sends were in flight is sent although all of them have ended', async () => {
  const { queue, answers } = startQueue();
  expect(queue.reserve()).toBe(maxInFlight);
  queue.add(integration, deliveries(1, maxInFlight));
  await eventually(() => expect(answers).toHaveLength(maxInFlight));
  // A transaction claims more. No send is free when it begins, and all are free when it ends.
  queue.takeEnded(64);
  queue.reserve();
  for (const answer of answers.splice(0)) answer();
  await eventually(() => expect(queue.ended).toHaveLength(maxInFlight));
  queue.add(integration, deliveries(100, 20));
  await eventually(() => expect(answers).toHaveLength(maxInFlight));
  while (queue.hasUnsent || answers.length > 0) {
    for (const answer of answers.splice(0)) answer();
    await new Promise(setImmediate);
  }
  await eventually(() => expect(queue.ended).toHaveLength(maxInFlight + 20));
});

test('every permit of the process is released, and an integration without one sends when it gets one', async () => {
  const { queue, answers, slots, freed } = startQueue({ permits: 1 });
  expect(slots.acquire(1, 2)).toBe(1);
  expect(queue.reserve()).toBe(0);
  queue.add(undefined, []);
  slots.release(1, 2);
  expect(freed).toEqual([1]);
  expect(queue.reserve()).toBe(maxInFlight);
  queue.add(integration, deliveries(1, 3));
  // Half of the sends of the pool are in use, so there is one at a time.
  for (let n = 0; n < 3; n += 1) {
    await eventually(() => expect(answers).toHaveLength(1));
    answers.shift()!();
  }
  await eventually(() => expect(queue.ended).toHaveLength(3));
  expect(slots.acquire(1, 2)).toBe(1);
});

test('a delivery waits while sends hold all bytes of the process, and is sent when some are free', async () => {
  // Each send holds eight times the ten bytes of its event.
  const { queue, answers, slots, freed } = startQueue({ bytes: 100 });
  expect(queue.reserve()).toBe(maxInFlight);
  queue.add(integration, deliveries(1, 3));
  await eventually(() => expect(answers).toHaveLength(2));
  expect([queue.hasUnsent, queue.reserve()]).toEqual([true, 0]);
  answers.shift()!();
  await eventually(() => expect(queue.ended).toHaveLength(1));
  expect([queue.hasUnsent, answers.length, freed]).toEqual([false, 2, [1]]);
  for (const answer of answers.splice(0)) answer();
  await eventually(() => expect(queue.ended).toHaveLength(3));
  expect(slots.isOpen(2)).toBe(true);
});
