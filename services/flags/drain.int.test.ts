// Proves that a stop fails no change that waits for another one. locked-flags.int.test.ts has those that wait too long.
import * as contracts from '@yardarm/shared/contracts/flags';
import { eventually } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from './testing/flags-rig.ts';

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

const find = () => rig.ask(contracts.getFeature, { projectId, featureName: 'stuck' });

test('a stop fails no change that waits for its turn', async () => {
  await rig.ask(contracts.createFeature, { projectId, name: 'stuck' });
  await holder.query(`begin; select from flags.features where name = 'stuck' for update`);
  const descriptions = Array.from({ length: 20 }, (_, index) => `number ${index}`);
  const patches = descriptions.map((value) =>
    rig.ask(contracts.patchFeature, {
      ...{ projectId, featureName: 'stuck' },
      operations: [{ op: 'replace', path: '/description', value }],
    }),
  );
  // The patches were sent before on the same connection, so the service has them.
  await find();
  const drained = rig.service.drain();
  await eventually(() => expect(find()).rejects.toMatchObject({ code: 'unavailable' }));
  await holder.query('commit');
  expect((await Promise.all(patches)).map(({ description }) => description)).toEqual(descriptions);
  await drained;
});
