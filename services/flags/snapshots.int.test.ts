// Proves the guarantees for a reader of snapshots over a real bus: the whole and every delta are read at one moment,
// deltas lead from any earlier state to the whole, and long answers come in pieces. The gateway's snapshots are not
// asserted.

import type { ClientFeature } from '@yardarm/shared/contracts/flags';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type FlagsRig, startOwnFlagsRig } from './testing/flags-rig.ts';

type Piece = z.output<typeof contracts.fetchSnapshot.output>;
type Known = { epoch: string; revisions: Record<string, number> };

const projectId = 'default';
const environment = 'development';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const create = (name: string) => rig.ask(contracts.createFeature, { projectId, name });
const patch = (featureName: string, property: string, value: unknown) =>
  rig.ask(contracts.patchFeature, {
    projectId,
    featureName,
    operations: [{ op: 'replace', path: `/${property}`, value }],
  });
const switchFlag = (featureName: string, enabled: boolean, where = environment) =>
  rig.ask(contracts.switchEnvironment, { projectId, featureName, environment: where, enabled });
const fetchChange = (known: Known | null, where = environment) =>
  rig.ask(contracts.fetchSnapshot, { environment: where, known });

interface Snapshot extends Known {
  isWhole: boolean;
  changed: ClientFeature[];
  removed: Piece['removed'];
}

async function fetch(known: Known | null, where = environment): Promise<Snapshot> {
  const { epoch, revisions, isWhole, changed, removed } = await fetchChange(known, where);
  return { epoch, revisions, isWhole, changed: changed.map(({ feature }) => feature), removed };
}

const knownOf = ({ epoch, revisions }: Known): Known => ({ epoch, revisions });

function applied(flags: ReadonlyMap<string, ClientFeature>, snapshot: Snapshot): Map<string, ClientFeature> {
  const result = new Map(snapshot.isWhole ? [] : flags);
  for (const feature of snapshot.changed) result.set(feature.name, feature);
  for (const { name } of snapshot.removed) result.delete(name);
  return result;
}

const asObject = (flags: ReadonlyMap<string, ClientFeature>) => Object.fromEntries([...flags].sort());

describe('a snapshot', () => {
  it('has every flag as SDKs get it, by name, on or off, without disabled strategies', async () => {
    await create('b-off');
    await create('a-on');
    const strategy = (properties: Record<string, unknown>) =>
      rig.ask(contracts.addStrategy, {
        projectId,
        featureName: 'a-on',
        environment,
        strategy: { name: 'default', ...properties },
      });
    await strategy({ disabled: true, title: 'unseen' });
    await strategy({ title: 'seen', constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }] });
    await switchFlag('a-on', true);
    const { changed, isWhole } = await fetch(null);
    expect(isWhole).toBe(true);
    expect(changed.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['a-on', true],
      ['b-off', false],
    ]);
    expect(changed[0]).toEqual({
      name: 'a-on',
      type: 'release',
      description: null,
      enabled: true,
      stale: false,
      impressionData: false,
      project: projectId,
      strategies: [
        {
          name: 'default',
          title: 'seen',
          parameters: {},
          constraints: [
            { contextName: 'userId', operator: 'IN', values: ['1'], inverted: false, caseInsensitive: false },
          ],
          segments: [],
          variants: [],
        },
      ],
      variants: [],
      dependencies: [],
    });
    const production = await fetch(null, 'production');
    expect(production.changed.map(({ enabled }) => enabled)).toEqual([false, false]);
  });

  it('is one empty piece when nothing has changed', async () => {
    const known = knownOf(await fetch(null));
    const nothing = { changed: [], removed: [], changedSegments: [], removedSegments: [] };
    expect(await fetchChange(known)).toEqual({ ...known, isWhole: false, ...nothing });
  });

  it('has after a change only the changed flag, in the environment of the change', async () => {
    await create('changes');
    const [known, elsewhere] = [knownOf(await fetch(null)), knownOf(await fetch(null, 'production'))];
    await switchFlag('changes', true);
    const delta = await fetch(known);
    expect(delta).toMatchObject({ isWhole: false, removed: [], changed: [{ name: 'changes', enabled: true }] });
    expect(delta.revisions.default).toBe(known.revisions.default! + 1);
    expect((await fetch(elsewhere, 'production')).changed).toEqual([]);
  });

  it('removes an archived flag from a delta, not from the whole, and no longer after its revival', async () => {
    await create('comes-and-goes');
    const known = knownOf(await fetch(null));
    await patch('comes-and-goes', 'archived', true);
    const gone = await fetch(known);
    expect(gone).toMatchObject({ changed: [], removed: [{ name: 'comes-and-goes', project: projectId }] });
    expect((await fetch(null)).changed.map(({ name }) => name)).not.toContain('comes-and-goes');
    expect((await fetch(knownOf(gone))).removed).toEqual([]);
    await patch('comes-and-goes', 'archived', false);
    expect(await fetch(known)).toMatchObject({ changed: [{ name: 'comes-and-goes' }], removed: [] });
  });

  it('does not remove a flag that is made under the name of a deleted one', async () => {
    await create('made-again');
    const known = knownOf(await fetch(null));
    await patch('made-again', 'archived', true);
    await rig.ask(contracts.deleteFeature, { featureName: 'made-again' });
    expect((await fetch(known)).removed).toEqual([{ name: 'made-again', project: projectId }]);
    await create('made-again');
    expect(await fetch(known)).toMatchObject({ changed: [{ name: 'made-again' }], removed: [] });
  });

  it('has all flags of a project that the reader does not know, and the changed flags of another', async () => {
    await sql`insert into projects (id, name) values ('unknown', 'Unknown')`.execute(rig.db.kysely);
    await sql`insert into project_environments values ('unknown', 'production')`.execute(rig.db.kysely);
    const known = knownOf(await fetch(null, 'production'));
    await sql`insert into revisions values ('production', 'unknown', 0)`.execute(rig.db.kysely);
    await rig.ask(contracts.createFeature, { projectId: 'unknown', name: 'of-unknown' });
    await patch('changes', 'stale', true);
    const delta = await fetch(known, 'production');
    expect(delta).toMatchObject({ isWhole: false, removed: [], revisions: { unknown: 1 } });
    expect(delta.changed.map(({ name }) => name)).toEqual(['changes', 'of-unknown']);
  });

  it('is the whole when the known state has another epoch or a higher revision', async () => {
    const now = await fetch(null);
    const foreign = { epoch: '00000000-0000-4000-8000-000000000000', revisions: now.revisions };
    const ahead = { epoch: now.epoch, revisions: { default: now.revisions.default! + 1 } };
    for (const known of [foreign, ahead]) expect(await fetch(known)).toEqual(now);
  });

  it('is not-found for an environment that does not exist', async () => {
    await expect(fetch(null, 'staging')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('is announced by a hint once a change has committed', async () => {
    const hinted = new Promise((resolve) =>
      rig.bus.onHint(contracts.revisionHint, (hint) => hint.environment === 'production' && resolve(hint)),
    );
    // The server handles the subscription before this request.
    const { revisions } = await fetch(null, 'production');
    await patch('changes', 'description', 'hinted');
    expect(await hinted).toEqual({ environment: 'production', project: projectId, revision: revisions.default! + 1 });
  });
});

describe('under concurrent writers', () => {
  it('deltas lead from every observed state to the whole', { timeout: 60_000 }, async () => {
    const seen: { known: Known; flags: Map<string, ClientFeature> }[] = [];
    let areWriting = true;
    const write = async (writer: number): Promise<void> => {
      const names = [0, 1, 2].map((index) => `w${writer}-${index}`);
      for (const name of names) await create(name);
      for (const isArchived of [true, false, true, false]) {
        for (const name of names) {
          if (isArchived) {
            await switchFlag(name, true);
            await switchFlag(name, true, 'production');
          }
          await patch(name, 'archived', isArchived);
          if (!isArchived) await patch(name, 'description', 'back again');
        }
      }
    };
    const read = async (): Promise<void> => {
      let flags = new Map<string, ClientFeature>();
      let known: Known | null = null;
      while (areWriting) {
        const snapshot: Snapshot = await fetch(known);
        flags = applied(flags, snapshot);
        known = knownOf(snapshot);
        seen.push({ known, flags });
      }
    };
    const reading = [read(), read()];
    await Promise.all([1, 2, 3, 4].map(write));
    areWriting = false;
    await Promise.all(reading);

    const whole = await fetch(null);
    const expected = asObject(applied(new Map(), whole));
    expect(seen.length).toBeGreaterThan(10);
    for (const { known, flags } of seen) {
      const delta = await fetch(known);
      expect(delta.isWhole).toBe(false);
      expect(asObject(applied(flags, delta))).toEqual(expected);
    }
  });

  it('two reads with the same epoch and revisions are equal', async () => {
    const states = new Map<number, string>();
    let compared = 0;
    let areWriting = true;
    const write = async (): Promise<void> => {
      for (let round = 0; round < 40; round += 1) await patch('changes', 'description', `state ${round}`);
      areWriting = false;
    };
    const read = async (): Promise<void> => {
      while (areWriting) {
        const { revisions, changed } = await fetch(null);
        const text = JSON.stringify(changed);
        const known = states.get(revisions.default!);
        if (known !== undefined) {
          expect(text).toBe(known);
          compared += 1;
        }
        states.set(revisions.default!, text);
      }
    };
    await Promise.all([write(), read(), read(), read()]);
    expect(states.size).toBeGreaterThan(3);
    expect(compared).toBeGreaterThan(3);
  });
});
