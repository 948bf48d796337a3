// Proves that a project or environment is made under the name of a deleted one only after accounts has removed the
// access to that one. The rig answers for accounts.
import type { RequestContract } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { admin, contextOf, type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

type Kind = contracts.Incarnation['kind'];

let rig: FlagsRig;
beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());
beforeEach(() => {
  rig.accounts.removed.length = 0;
  rig.accounts.beforeRemoval = async () => {};
});

const operations: [string, Kind, (id: string) => Promise<unknown>][] = [
  ['a project', 'project', (id) => rig.ask(contracts.createProject, { id, name: 'Shop' })],
  ['a project whose name makes the id', 'project', (name) => rig.ask(contracts.createProject, { name })],
  ['an environment', 'environment', (name) => rig.ask(contracts.createEnvironment, { name, type: 'test' })],
  [
    'a clone of an environment',
    'environment',
    (name) => rig.ask(contracts.cloneEnvironment, { name: 'production', clone: { name, type: 'test' } }),
  ],
];

const remove = (kind: Kind, id: string) => {
  const ask = <C extends RequestContract>(contract: C, input: object) => rig.ask(contract, input as never);
  return kind === 'project'
    ? ask(contracts.deleteProject, { projectId: id })
    : ask(contracts.deleteEnvironment, { name: id });
};

const find = async (kind: Kind, id: string) => {
  const asked = { projects: kind === 'project' ? [id] : [], environments: kind === 'environment' ? [id] : [] };
  return (await rig.ask(contracts.findMissingProjectsAndEnvironments, asked)).found[0];
};

/** The number of transactions of flags that wait for a lock. */
const countWaiting = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and usename = current_user`.execute(rig.db.kysely);
  return rows[0]!.count;
};

let number = 0;
const next = () => {
  number += 1;
  return `name-${number}`;
};

describe.each(operations)('%s', (_, kind, create) => {
  it('is made under a new name without accounts', async () => {
    const id = next();
    await create(id);
    expect(rig.accounts.removed).toEqual([]);
    expect(await find(kind, id)).toMatchObject({ kind, id });
  });

  it('is made under a used name after accounts has removed the access, once per deletion', async () => {
    const id = next();
    const expected: unknown[] = [];
    await create(id);
    for (let round = 0; round < 3; round += 1) {
      expected.push(await find(kind, id));
      await remove(kind, id);
      rig.accounts.beforeRemoval = async () => expect(await find(kind, id)).toBeUndefined();
      await create(id);
      expect(rig.accounts.removed).toEqual(expected);
    }
    const moments = [...rig.accounts.removed, (await find(kind, id))!].map(({ createdAt }) => createdAt);
    expect(moments).toEqual([...new Set(moments)].sort());
  });

  it('is not made while accounts does not answer', async () => {
    const id = next();
    await create(id);
    await remove(kind, id);
    rig.accounts.beforeRemoval = async () => {
      throw new AppError('unavailable', 'Accounts is unavailable.');
    };
    await expect(create(id)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await find(kind, id)).toBeUndefined();
    rig.accounts.beforeRemoval = async () => {};
    await create(id);
    expect(rig.accounts.removed).toHaveLength(1);
  });

  it('is not made during the deletion of the one before while accounts may still give access to that', async () => {
    for (let round = 0; round < 8; round += 1) {
      const id = next();
      await create(id);
      const deleted = await find(kind, id);
      const results = await Promise.allSettled([remove(kind, id), ...Array.from({ length: 4 }, () => create(id))]);
      const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
      expect(codes.filter((code) => code !== 'name-exists')).toEqual([]);
      if (await find(kind, id)) expect(rig.accounts.removed).toContainEqual(deleted);
    }
  });
});

it('while accounts hangs, a used name is refused as unavailable before the deadline, and nothing is made', async () => {
  const id = next();
  await rig.ask(contracts.createProject, { id, name: 'Shop' });
  await remove('project', id);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  rig.accounts.beforeRemoval = () => end;
  const context = { ...contextOf(admin), deadline: Date.now() + 1_000 };
  await expect(rig.bus.request(contracts.createProject, { id, name: 'Shop' }, context)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('nothing was done'),
  });
  expect(await find('project', id)).toBeUndefined();
  resolve();
});

it('a creation that waited for a deletion is refused, and succeeds when it is repeated', async () => {
  const name = next();
  const create = () => rig.ask(contracts.createEnvironment, { name, type: 'test' });
  await create();
  const created = (await find('environment', name))!;
  // The deletion by another replica, before its commit.
  const { creation } = await rig.db.transaction(async (trx) => {
    await trx.deleteFrom('environments').where('name', '=', name).execute();
    await trx
      .insertInto('deleted_incarnations')
      .values({ kind: 'environment', id: name, created_at: new Date(created.createdAt) })
      .execute();
    const creation = create();
    creation.catch(() => {});
    await eventually(async () => expect(await countWaiting()).toBe(1));
    return { creation };
  });
  await expect(creation).rejects.toMatchObject({ code: 'name-exists' });
  expect(await find('environment', name)).toBeUndefined();
  await create();
  expect(rig.accounts.removed).toEqual([created]);
});
