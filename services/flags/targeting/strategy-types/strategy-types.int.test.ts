// Types of strategies over a real bus and Postgres: the built-in ones, custom ones, their events and races.
import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
const environment = 'development';
const parameters = [{ name: 'must', type: 'string' as const, description: 'd', required: true }];

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

async function newType(): Promise<string> {
  const name = `type-${randomUUID()}`;
  await rig.ask(contracts.createStrategyType, { name, parameters });
  return name;
}

async function newFlag(): Promise<string> {
  const name = `flag-${randomUUID()}`;
  await rig.ask(contracts.createFeature, { projectId, name });
  return name;
}

const add = (featureName: string, name: string, sent: Record<string, string> = { must: 'x' }) =>
  rig.ask(contracts.addStrategy, { projectId, featureName, environment, strategy: { name, parameters: sent } });
const eventsOf = async (name: string) =>
  (await rig.events()).filter(({ data }) => (data as { name?: string } | null)?.name === name);

describe('built-in types', () => {
  it('are first in the list and found by name', async () => {
    const name = await newType();
    const all = (await rig.ask(contracts.listStrategyTypes, {})).strategies;
    expect(all[0]).toMatchObject({ name: 'flexibleRollout', displayName: 'Gradual rollout', editable: false });
    expect(all.find((type) => type.name === name)).toMatchObject({ displayName: null, editable: true, parameters });
    expect(await rig.ask(contracts.getStrategyType, { name: 'flexibleRollout' })).toEqual(all[0]);
  });

  it('are read-only', async () => {
    const name = 'default';
    const refused = { code: 'bad-data', message: expect.stringContaining('"default" is built-in') };
    await expect(rig.ask(contracts.createStrategyType, { name, parameters })).rejects.toMatchObject({
      code: 'name-exists',
    });
    await expect(rig.ask(contracts.updateStrategyType, { name, parameters })).rejects.toMatchObject(refused);
    await expect(rig.ask(contracts.deleteStrategyType, { name })).rejects.toMatchObject(refused);
    for (const deprecated of [true, false]) {
      const change = rig.ask(contracts.setStrategyTypeDeprecated, { strategyName: name, deprecated });
      await expect(change).rejects.toMatchObject(refused);
    }
  });
});

describe('custom types', () => {
  it('are made, changed, deprecated, reactivated and deleted, each with an event', async () => {
    const name = await newType();
    const type = { name, title: null, description: null, parameters, editable: true, deprecated: false };
    await rig.ask(contracts.updateStrategyType, { name, title: 'T', parameters: [] });
    const changed = { ...type, title: 'T', parameters: [] };
    expect(await rig.ask(contracts.getStrategyType, { name })).toEqual({ ...changed, displayName: null });
    await rig.ask(contracts.setStrategyTypeDeprecated, { strategyName: name, deprecated: true });
    expect(await rig.ask(contracts.getStrategyType, { name })).toMatchObject({ deprecated: true });
    await rig.ask(contracts.setStrategyTypeDeprecated, { strategyName: name, deprecated: false });
    await rig.ask(contracts.deleteStrategyType, { name });
    await expect(rig.ask(contracts.getStrategyType, { name })).rejects.toMatchObject({ code: 'not-found' });
    expect((await eventsOf(name)).map(({ type, data, preData }) => ({ type, data, preData }))).toEqual([
      { type: 'strategy-created', data: type, preData: null },
      { type: 'strategy-updated', data: changed, preData: type },
      { type: 'strategy-deprecated', data: { name }, preData: null },
      { type: 'strategy-reactivated', data: { name }, preData: null },
      { type: 'strategy-deleted', data: { name }, preData: null },
    ]);
  });

  it('change nothing by the same contents', async () => {
    const name = await newType();
    await rig.ask(contracts.updateStrategyType, { name, parameters });
    await rig.ask(contracts.setStrategyTypeDeprecated, { strategyName: name, deprecated: false });
    expect(await eventsOf(name)).toHaveLength(1);
  });

  it('are named when they do not exist', async () => {
    const refused = { code: 'not-found', message: expect.stringContaining('"nowhere"') };
    const name = 'nowhere';
    await expect(rig.ask(contracts.getStrategyType, { name })).rejects.toMatchObject(refused);
    await expect(rig.ask(contracts.updateStrategyType, { name, parameters })).rejects.toMatchObject(refused);
    await expect(rig.ask(contracts.deleteStrategyType, { name })).rejects.toMatchObject(refused);
    const change = rig.ask(contracts.setStrategyTypeDeprecated, { strategyName: name, deprecated: true });
    await expect(change).rejects.toMatchObject(refused);
  });

  it('check the parameters of strategies, also of deprecated types', async () => {
    const [name, featureName] = [await newType(), await newFlag()];
    await expect(add(featureName, name, {})).rejects.toMatchObject({
      ...{ code: 'bad-data', message: expect.stringContaining('.parameters.must property is required') },
    });
    await rig.ask(contracts.setStrategyTypeDeprecated, { strategyName: name, deprecated: true });
    await expect(add(featureName, name)).resolves.toMatchObject({ name, parameters: { must: 'x' } });
    await expect(add(featureName, 'nowhere')).rejects.toMatchObject({ code: 'bad-data' });
  });

  it('cannot be deleted while a strategy has them', async () => {
    const [name, featureName] = [await newType(), await newFlag()];
    const { id: strategyId } = await add(featureName, name);
    await expect(rig.ask(contracts.deleteStrategyType, { name })).rejects.toMatchObject({
      ...{ code: 'conflict', message: expect.stringContaining(featureName) },
    });
    await rig.ask(contracts.deleteStrategy, { projectId, featureName, environment, strategyId });
    await expect(rig.ask(contracts.deleteStrategyType, { name })).resolves.toEqual({});
  });

  it('one of two creators gets the name', async () => {
    const name = `type-${randomUUID()}`;
    const made = await Promise.allSettled(
      [1, 2, 3].map(() => rig.ask(contracts.createStrategyType, { name, parameters })),
    );
    const refused = made.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(refused).toEqual(['name-exists', 'name-exists']);
  });

  it('no strategy has a type that is deleted at the same time', async () => {
    const featureName = await newFlag();
    for (let round = 0; round < 10; round += 1) {
      const name = await newType();
      const [added, deleted] = await Promise.allSettled([
        add(featureName, name),
        rig.ask(contracts.deleteStrategyType, { name }),
      ]);
      expect([added.status, deleted.status].sort()).toEqual(['fulfilled', 'rejected']);
    }
  });
});

describe('all custom types together', () => {
  /** So many parameters of some 1,050 bytes. */
  const described = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      name: `p-${n}`,
      type: 'string' as const,
      description: 'x'.repeat(1_000),
    }));

  it('have at most so many bytes, however many writers race for the rest, and may shrink beyond it', async () => {
    await sql`
      insert into strategy_types (name, parameters, deprecated)
      select 'large-' || n, json_build_array(json_build_object('description', repeat('x', 496000))), false
      from generate_series(1, 20) n`.execute(rig.db.kysely);
    const makes = Array.from({ length: 4 }, (_, n) =>
      rig.ask(contracts.createStrategyType, { name: `more-${n}`, parameters: described(32) }),
    );
    const outcomes = await Promise.allSettled(makes);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'limit-exceeded' });
    const name = `more-${outcomes.findIndex(({ status }) => status === 'fulfilled')}`;
    const update = (count: number) => rig.ask(contracts.updateStrategyType, { name, parameters: described(count) });
    await expect(update(50)).rejects.toMatchObject({ code: 'limit-exceeded' });
    await sql`insert into strategy_types (name, parameters, description) values ('beyond', '[]', repeat('x', 1000000))`.execute(
      rig.db.kysely,
    );
    await update(20);
    for (const deprecated of [true, false])
      await rig.ask(contracts.setStrategyTypeDeprecated, { strategyName: name, deprecated });
    await sql`delete from strategy_types where name like 'large-%' or name = 'beyond'`.execute(rig.db.kysely);
  });
});
