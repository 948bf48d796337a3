import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { eventTypes } from '@yardarm/shared/contracts/events';
import { expect, test } from 'vitest';
import { changedKeys } from '../src/live/events.ts';

/** What no event of the log tells of: it is read again every 30 s, or once for a visit. */
const readByTime = new Set(['me', 'saved-views', 'ui-config', 'chain', 'status', 'statistics']);

test('the key of each query begins with what an event reads again', () => {
  const about = { id: 1, createdAt: '', createdBy: '', createdByUserId: null, project: 'p', featureName: 'f' };
  const told = new Set(
    eventTypes.flatMap((type) => changedKeys({ ...about, type, environment: null }).map(([first]) => first)),
  );
  const folder = path.join(import.meta.dirname, '../src');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const used = sources.flatMap((name) =>
    [...readFileSync(path.join(folder, name), 'utf8').matchAll(/queryKey: \['([^']+)'/g)].map(([, first]) => first!),
  );
  expect(used).toContain('features');
  expect(used.filter((first) => !told.has(first) && !readByTime.has(first))).toEqual([]);
});
