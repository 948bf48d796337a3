// Proves that documents beyond the bounds are refused at a bounded cost, while other requests are answered.
import * as contracts from '@yardarm/shared/contracts/flags';
import { TimeSlicer } from '@yardarm/shared/waiting';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limitsOf, loadFlagsConfig } from '../config.ts';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { type ImportedData, importPlace, uploadDocument } from '../testing/imports.ts';
import { readDocument } from './import-document.ts';

const projectId = 'default';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig({ UNLEASH_FEATURE_FLAGS_LIMIT: '60' });
  await rig.ask(contracts.createFeature, { projectId, name: 'other' });
});
afterAll(() => rig?.stop());

const many = (count: number) => Array.from({ length: count }, () => ({}));

it.each<[string, object, string[]]>([
  ['flags', { features: many(61) }, ['.data.features', '60', '61']],
  ['tags of flags', { featureTags: many(10_001) }, ['.data.featureTags', '10000', '10001']],
  ['strategies', { features: many(2), featureStrategies: many(61) }, ['.data.featureStrategies', '60', '61']],
  [
    'environments of flags',
    { features: many(2), featureEnvironments: many(3) },
    ['.data.featureEnvironments', '2', '3'],
  ],
  ['links', { links: many(1) }, ['.data.links', '0', '1']],
  ['parents', { features: many(2), dependencies: many(21) }, ['.data.dependencies', '20', '21']],
  ['context fields', { contextFields: many(10_001) }, ['.data.contextFields', '10000', '10001']],
  ['values', { unread: many(2_100_000) }, ['2000000']],
  ['values of an item', { segments: [many(60_000)] }, ['.data.segments[0]', '50000']],
  [
    'items that do not conform to the schema',
    { features: many(60), tagTypes: many(10_000), contextFields: many(10_000) },
    ['20000', '.data.features[0].name'],
  ],
])('a document with too many %s is refused, and the error names the limit', async (_what, data, named) => {
  const sent = await uploadDocument(rig, data as ImportedData);
  const refused = rig.ask(contracts.importFeatures, sent);
  await expect(refused).rejects.toMatchObject({ code: 'bad-data' });
  const { message } = (await refused.catch((error: Error) => error as Error)) as Error;
  for (const name of named) expect(message).toContain(name);
});

it('the check of a large document lets other work pass, and ends at the deadline', async () => {
  const strategy = { featureName: 'other', name: 'default' };
  const data = {
    features: [{ name: 'other' }],
    featureStrategies: Array.from({ length: 100_000 }, () => strategy),
    featureEnvironments: [],
  };
  const text = JSON.stringify({ ...importPlace, data });
  let turns = 0;
  let timer = setImmediate(function next() {
    turns += 1;
    timer = setImmediate(next);
  });
  const read = await readDocument(
    { db: rig.db, limits: { ...limitsOf(loadFlagsConfig(rig.environment)), strategies: 100_000 } },
    { text },
    { deadline: Date.now() + 60_000 },
  );
  clearImmediate(timer);
  expect(read.data.featureStrategies).toHaveLength(100_000);
  expect(turns).toBeGreaterThan(5);
  const slicer = new TimeSlicer({ deadline: Date.now() });
  const work = async () => {
    for (;;) await slicer.next();
  };
  await expect(work()).rejects.toMatchObject({ code: 'timeout' });
});
