import { expect, test } from 'vitest';
import * as accounts from '../accounts/index.ts';
import { isChange } from '../contract.ts';
import * as flags from '../flags/index.ts';
import * as integrations from '../integrations/index.ts';
import * as signals from '../signals/index.ts';
import { eventCatalogue } from './event-catalogue.ts';
import { eventTypes } from './event-types.ts';

test('the catalogue lists exactly the event types', () => {
  expect(Object.keys(eventCatalogue)).toEqual([...eventTypes]);
});

test('every operation that the catalogue names is a request contract, by its verb one that changes something', () => {
  const contracts = Object.values({ ...accounts, ...flags, ...integrations, ...signals }) as {
    kind?: string;
    name?: string;
  }[];
  const requests = new Set(contracts.filter(({ kind }) => kind === 'request').map(({ name }) => name));
  const operations = Object.values(eventCatalogue)
    .flatMap(({ emittedBy }) => emittedBy?.split(', ') ?? [])
    .filter((name) => !name.includes(':'));
  expect(operations.length).toBeGreaterThan(10);
  expect(operations.filter((name) => !requests.has(name))).toEqual([]);
  // An export changes nothing. Its event says who has read the flags.
  expect(operations.filter((name) => !isChange({ name }))).toEqual(['flags.feature.export']);
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
