import { expect, test } from 'vitest';
import { parseSignalSearch, toSignalFilters } from './signal-search.ts';

test('an address gives what the API takes', () => {
  const search = parseSignalSearch({ endpoint: 2, ran: 'no', payload: 'labels.severity=critical', from: '2026-11-01' });
  expect(toSignalFilters(search)).toEqual({
    ...{ sourceId: '2', hasRuns: 'false', payload: 'labels.severity=critical', from: 'IS:2026-11-01' },
  });
  expect(toSignalFilters({ ran: 'yes' })).toEqual({ hasRuns: 'true' });
});

test('what an address has besides is left out', () => {
  expect(parseSignalSearch({ ran: 'maybe', endpoint: ['2'], other: 'x' })).toEqual({});
  expect(toSignalFilters({ payload: '', from: '' })).toEqual({});
});
