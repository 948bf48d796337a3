// Proves that an import decides again about what has changed between its preparation and its locks.
import * as contracts from '@yardarm/shared/contracts/flags';
import { eventually } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagCalls } from '../testing/flag-calls.ts';
import { type OwnFlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { type ImportedData, sentDocument } from '../testing/imports.ts';

const projectId = 'default';

let rig: OwnFlagsRig;
let holder: pg.Client;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  holder = new pg.Client({ connectionString: rig.database.ownerUrl });
  await holder.connect();
});
afterAll(async () => {
  await holder?.end();
  await rig?.stop();
});

const { newFlag, patch } = flagCalls(() => rig);
const run = (data: ImportedData) => rig.ask(contracts.importFeatures, sentDocument(data));
const lock = (name: string) => holder.query(`begin; select from flags.features where name = '${name}' for update`);
const waits = async (expected: number) => {
  await eventually(async () => {
    const rows = await rig.database.rows(`
      select distinct pid from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database()`);
    expect(rows).toHaveLength(expected);
  });
};
const since = async (count: number) => {
  const events = (await rig.events()).slice(count);
  return events.map(({ type, featureName }) => `${type}${featureName === null ? '' : ` ${featureName}`}`);
};

describe('an import that waits for a flag', () => {
  it('imports it as it is then, after the events of the change, and the others as they were prepared', async () => {
    const [one, other] = [await newFlag(), await newFlag()];
    const before = (await rig.events()).length;
    await lock(one);
    const patching = patch(one, { description: 'patched' });
    await waits(1);
    const importing = run({ features: [one, other].map((name) => ({ name, description: 'imported' })) });
    await waits(2);
    await holder.query('commit');
    await Promise.all([patching, importing]);
    expect(await since(before)).toEqual([
      ...[`feature-metadata-updated ${other}`, `feature-import ${other}`],
      ...[`feature-metadata-updated ${one}`, `feature-metadata-updated ${one}`, `feature-import ${one}`],
      'features-imported',
    ]);
    const [, , changed] = await rig.events(one);
    expect(changed).toMatchObject({ preData: { description: 'patched' }, data: { description: 'imported' } });
  });

  it('emits nothing when another import has done the same', async () => {
    const name = await newFlag();
    const before = (await rig.events()).length;
    await lock(name);
    const data: ImportedData = {
      features: [{ name, description: 'twice' }],
      featureTags: [{ featureName: name, tagType: 'simple', tagValue: 'twice' }],
    };
    const importing = [run(data), run(data)];
    await waits(2);
    await holder.query('commit');
    await Promise.all(importing);
    const types = (await since(before)).toSorted();
    expect(types).toEqual([
      ...[`feature-import ${name}`, `feature-metadata-updated ${name}`, `feature-tag-import ${name}`],
      ...[`feature-tagged ${name}`, 'features-imported', 'tag-created', 'tag-import'],
    ]);
  });

  it('is refused with nothing done when a parent of it was archived', async () => {
    const [child, parent] = [await newFlag(), await newFlag()];
    const document = {
      features: [{ name: child }],
      dependencies: [{ feature: child, dependencies: [{ feature: parent }] }],
    };
    await lock(child);
    const importing = Promise.allSettled([run(document)]);
    await waits(1);
    await rig.ask(contracts.archiveFeature, { projectId, featureName: parent });
    const before = (await rig.events()).length;
    await holder.query('commit');
    expect(await importing).toMatchObject([{ status: 'rejected', reason: { code: 'bad-data' } }]);
    expect(await since(before)).toEqual([]);
  });

  it('emits all again when a tag that it would make was made', async () => {
    const [name, tagged] = [await newFlag(), await newFlag()];
    const before = (await rig.events()).length;
    await lock(name);
    const importing = run({
      features: [{ name }],
      featureTags: [{ featureName: name, tagType: 'simple', tagValue: 'meanwhile' }],
    });
    await waits(1);
    await rig.ask(contracts.addFeatureTag, { featureName: tagged, type: 'simple', value: 'meanwhile' });
    await holder.query('commit');
    await importing;
    expect(await since(before)).toEqual([
      ...['tag-created', `feature-tagged ${tagged}`, `feature-tagged ${name}`, `feature-import ${name}`],
      ...[`feature-tag-import ${name}`, 'tag-import', 'features-imported'],
    ]);
  });
});
