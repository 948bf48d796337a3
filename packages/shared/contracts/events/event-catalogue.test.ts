import { expect, test } from 'vitest';
import * as accounts from '../accounts/index.ts';
import type { RequestContract } from '../contract.ts';
import * as flags from '../flags/index.ts';
import * as integrations from '../integrations/index.ts';
import * as signals from '../signals/index.ts';
import { eventCatalogue } from './event-catalogue.ts';
import { eventTypes } from './event-types.ts';

test('the catalogue lists exactly the event types', () => {
  expect(Object.keys(eventCatalogue)).toEqual([...eventTypes]);
});

test('every operation that the catalogue names is a request contract that writes', () => {
  const contracts = Object.values({ ...accounts, ...flags, ...integrations, ...signals }) as Partial<RequestContract>[];
  const requests = new Map(
    contracts.filter(({ kind }) => kind === 'request').map(({ name, writes }) => [name, writes]),
  );
  const operations = Object.values(eventCatalogue)
    .flatMap(({ emittedBy }) => emittedBy?.split(', ') ?? [])
    .filter((name) => !name.includes(':'));
  expect(operations.length).toBeGreaterThan(10);
  expect(operations.filter((name) => !requests.has(name))).toEqual([]);
  // An export changes nothing. Its event says who has read the flags.
  expect(operations.filter((name) => requests.get(name) === false)).toEqual(['flags.feature.export']);
});

test('no description in the catalogue is empty', () => {
  for (const [type, { data, preData }] of Object.entries(eventCatalogue)) {
    expect([type, data === '', preData === '']).toEqual([type, false, false]);
  }
});

test('a type has a reason why it is not emitted only while nothing emits it', () => {
  const reasons = Object.values(eventCatalogue).filter(({ unusedBecause }) => unusedBecause !== undefined);
  expect(reasons.length).toBeGreaterThan(5);
  expect(reasons.filter(({ emittedBy }) => emittedBy !== null)).toEqual([]);
});
