// Proves moves of flags between projects over a real bus and Postgres. The projects and segments are inserted by SQL.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';

const projectId = 'default';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await sql`insert into projects (id, name) values ('target', 'Target'), ('small', 'Small')`.execute(rig.db.kysely);
  await sql`
    insert into project_environments (project, environment)
    values ('target', 'development'), ('target', 'production'), ('small', 'production')`.execute(rig.db.kysely);
  await sql`
    insert into revisions (environment, project)
    select environment, project from project_environments where project <> 'default'`.execute(rig.db.kysely);
});
afterAll(() => rig?.stop());

const create = (name: string) => rig.ask(contracts.createFeature, { projectId, name });
const move = (featureName: string, newProjectId: string, actor?: Actor, from = projectId) =>
  rig.ask(contracts.changeProject, { projectId: from, featureName, newProjectId }, actor);
const revisions = async () => (await rig.ask(contracts.listRevisions, {})).environments;
const projectsOf = async (name: string) => {
  const rows = await rig.db.kysely.selectFrom('features').select('project').where('name', '=', name).execute();
  return rows.map(({ project }) => project);
};
const read = async (known: { epoch: string; revisions: Record<string, number> } | null) =>
  await rig.ask(contracts.fetchSnapshot, { environment: 'production', known });

it('a moved flag keeps its state and strategies, and one commit removes it from the old project', async () => {
  await create('moved');
  const featureName = 'moved';
  await rig.ask(contracts.switchEnvironment, { projectId, featureName, environment: 'production', enabled: true });
  const { environments, createdAt } = await rig.ask(contracts.getFeature, { projectId, featureName });
  const before = await revisions();
  const { epoch, revisions: known } = await read(null);
  await move('moved', 'target');
  const moved = await rig.ask(contracts.getFeature, { projectId: 'target', featureName });
  expect(moved.environments).toEqual(environments);
  expect(moved).toMatchObject({ createdAt, project: 'target' });
  await expect(rig.ask(contracts.getFeature, { projectId, featureName })).rejects.toMatchObject({ code: 'not-found' });
  expect((await rig.events('moved')).at(-1)).toMatchObject({
    type: 'feature-project-change',
    project: 'target',
    data: { newProject: 'target', oldProject: 'default' },
    preData: null,
  });
  const after = await revisions();
  for (const environment of ['development', 'production']) {
    for (const project of ['default', 'target']) {
      expect(after[environment]![project]).toBe(before[environment]![project]! + 1);
    }
  }
  const { isWhole, changed, removed } = await read({ epoch, revisions: known });
  expect(isWhole).toBe(false);
  expect(changed).toMatchObject([{ feature: { name: 'moved', project: 'target', enabled: true } }]);
  expect(removed).toEqual([{ name: 'moved', project: 'default' }]);
});

it('a move within the project changes nothing', async () => {
  await create('stays');
  const before = await revisions();
  await move('stays', projectId);
  expect(await revisions()).toEqual(before);
  expect(await rig.events('stays')).toHaveLength(1);
});

it('a flag does not move to a project with other environments, nor to an unknown or archived one', async () => {
  await create('fixed');
  await expect(move('fixed', 'small')).rejects.toMatchObject({
    code: 'incompatible-project',
    message: expect.stringContaining('"small"'),
  });
  await expect(move('fixed', 'none')).rejects.toMatchObject({ code: 'bad-data' });
  await sql`insert into projects (id, name, archived_at) values ('over', 'Over', now())`.execute(rig.db.kysely);
  await expect(move('fixed', 'over')).rejects.toMatchObject({ code: 'bad-data' });
  await expect(move('nobody', 'target')).rejects.toMatchObject({ code: 'not-found' });
  expect(await projectsOf('fixed')).toEqual([projectId]);
});

it('a flag with dependencies does not move, neither parent nor child', async () => {
  for (const name of ['parent', 'child']) await create(name);
  await sql`insert into feature_dependencies (child, parent) values ('child', 'parent')`.execute(rig.db.kysely);
  for (const name of ['parent', 'child']) {
    await expect(move(name, 'target')).rejects.toMatchObject({ code: 'forbidden' });
  }
});

it('a flag with a segment of its project does not move; the use of a global segment moves with it', async () => {
  await create('segmented');
  const strategy = await rig.ask(contracts.addStrategy, {
    ...{ projectId, featureName: 'segmented', environment: 'production', strategy: { name: 'default' } },
  });
  const { rows } = await sql<{ id: number }>`
    insert into segments (name, project, constraints, created_by)
    values ('own', 'default', '[]', 'a'), ('global', null, '[]', 'a') returning id`.execute(rig.db.kysely);
  const [own, global] = rows.map(({ id }) => id) as [number, number];
  await sql`insert into strategy_segments values (${strategy.id}, ${own}), (${strategy.id}, ${global})`.execute(
    rig.db.kysely,
  );
  await sql`insert into segment_revisions values ('production', 'default', ${global}, true, 1)`.execute(rig.db.kysely);
  await expect(move('segmented', 'target')).rejects.toMatchObject({
    code: 'incompatible-project',
    message: expect.stringContaining('"own"'),
  });
  await sql`delete from strategy_segments where segment_id = ${own}`.execute(rig.db.kysely);
  await move('segmented', 'target');
  const uses = await rig.db.kysely
    .selectFrom('segment_revisions')
    .select(['project', 'is_used'])
    .where('environment', '=', 'production')
    .where('segment_id', '=', global)
    .orderBy('project')
    .execute();
  expect(uses).toEqual([
    { project: 'default', is_used: false },
    { project: 'target', is_used: true },
  ]);
});

it('a move needs the permission in both projects', async () => {
  await create('guarded');
  for (const projects of [[projectId], ['target']]) {
    const actor: Actor = {
      ...{ kind: 'user', id: 7, username: 'ed', grants: [{ permissions: ['MOVE_FEATURE_TOGGLE'], projects }] },
    };
    await expect(move('guarded', 'target', actor)).rejects.toMatchObject({ code: 'no-access' });
  }
  const grants = [{ permissions: ['MOVE_FEATURE_TOGGLE' as const], projects: [projectId, 'target'] }];
  await move('guarded', 'target', { kind: 'user', id: 7, username: 'ed', grants });
  expect(await projectsOf('guarded')).toEqual(['target']);
});

it('twenty flags that move both ways at the same time do not deadlock', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `both-${index}`);
  await Promise.all(names.map(create));
  for (const name of names.slice(10)) await move(name, 'target');
  await Promise.all(
    names.map((name, index) => (index < 10 ? move(name, 'target') : move(name, projectId, undefined, 'target'))),
  );
  for (const [index, name] of names.entries()) {
    expect(await projectsOf(name)).toEqual([index < 10 ? 'target' : projectId]);
  }
});
