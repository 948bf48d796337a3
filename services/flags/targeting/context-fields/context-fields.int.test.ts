// Proves context fields over a real bus and Postgres: their answers, events, uses and races.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
const owner: Actor = {
  ...{ kind: 'user', id: 7, username: 'owner' },
  grants: [{ permissions: ['UPDATE_PROJECT_CONTEXT'], projects: [projectId] }],
};

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const get = (name: string) => rig.ask(contracts.getContextField, { name });
const namesIn = async (listed: Promise<{ contextFields: contracts.ContextField[] }>) =>
  (await listed).contextFields.map(({ name }) => name);
const eventsOf = async (field: string) =>
  (await rig.events()).filter(({ data, preData }) => (data ?? preData)?.name === field);

async function flagWith(name: string, strategy: Record<string, unknown>): Promise<void> {
  await rig.ask(contracts.createFeature, { projectId, name });
  await rig.ask(contracts.addStrategy, {
    ...{ projectId, featureName: name, environment: 'production' },
    strategy: { name: 'flexibleRollout', ...strategy },
  });
}

describe('context fields', () => {
  it('have five of them at the beginning', async () => {
    expect(await namesIn(rig.ask(contracts.listContextFields, {}))).toEqual([
      ...['environment', 'userId', 'appName', 'sessionId', 'currentTime'],
    ]);
  });

  it('are made, replaced and deleted with events, and nothing happens without a change', async () => {
    const settings = { description: 'The plan', stickiness: true, sortOrder: 7, legalValues: [{ value: 'gold' }] };
    const created = await rig.ask(contracts.createContextField, { name: 'plan', ...settings });
    expect(created).toMatchObject({ name: 'plan', ...settings, usedInFeatures: 0, usedInProjects: 0 });
    expect(created).not.toHaveProperty('project');
    await rig.ask(contracts.updateContextField, { name: 'plan', ...settings });
    await rig.ask(contracts.updateContextField, { name: 'plan', description: 'The plan of the customer' });
    const replaced = { description: 'The plan of the customer', stickiness: false, sortOrder: 0, legalValues: [] };
    expect(await get('plan')).toMatchObject(replaced);
    await rig.ask(contracts.deleteContextField, { name: 'plan' });
    await expect(get('plan')).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining('"plan"') });
    expect((await eventsOf('plan')).map(({ type, data, preData }) => [type, data, preData])).toEqual([
      ['context-field-created', { name: 'plan', ...settings }, null],
      ['context-field-updated', { name: 'plan', ...replaced }, { name: 'plan', ...settings }],
      ['context-field-deleted', null, { name: 'plan', ...replaced }],
    ]);
  });

  it('have legal values, each once', async () => {
    await rig.ask(contracts.createContextField, { name: 'tier' });
    const set = (value: string, description?: string) =>
      rig.ask(contracts.setLegalValue, { name: 'tier', value, ...(description !== undefined && { description }) });
    await set('gold');
    await set('silver');
    await set('gold', 'The best');
    expect((await get('tier')).legalValues).toEqual([{ value: 'gold', description: 'The best' }, { value: 'silver' }]);
    await rig.ask(contracts.deleteLegalValue, { name: 'tier', value: 'gold' });
    await rig.ask(contracts.deleteLegalValue, { name: 'tier', value: 'never' });
    expect((await get('tier')).legalValues).toEqual([{ value: 'silver' }]);
    expect((await eventsOf('tier')).map(({ type }) => type)).toEqual([
      'context-field-created',
      ...Array(4).fill('context-field-updated'),
    ]);
    await expect(
      rig.ask(contracts.updateContextField, { name: 'tier', legalValues: [{ value: 'a' }, { value: 'a' }] }),
    ).rejects.toMatchObject({ code: 'bad-data', message: expect.stringContaining('.legalValues[1].value') });
  });

  it('keep all legal values that are added at the same time', async () => {
    await rig.ask(contracts.createContextField, { name: 'racing' });
    const values = Array.from({ length: 10 }, (_, index) => `v${index}`);
    await Promise.all(values.map((value) => rig.ask(contracts.setLegalValue, { name: 'racing', value })));
    expect((await get('racing')).legalValues.map(({ value }) => value).sort()).toEqual(values);
  });

  it('are made by one of two creators', async () => {
    const results = await Promise.allSettled(
      [1, 2].map(() => rig.ask(contracts.createContextField, { name: 'twice' })),
    );
    const [refused] = results.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'name-exists', message: expect.stringContaining('"twice"') } });
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(rig.ask(contracts.validateContextField, { name: 'twice' })).rejects.toMatchObject({
      code: 'name-exists',
    });
    await rig.ask(contracts.validateContextField, { name: 'free' });
  });

  it('of a project belong to it alone, and its owner may change them', async () => {
    await rig.ask(contracts.createContextFieldOfProject, { projectId, name: 'crew' }, owner);
    expect(await get('crew')).toMatchObject({ project: projectId });
    const all = () => namesIn(rig.ask(contracts.listContextFields, { include: 'project' }));
    expect(await namesIn(rig.ask(contracts.listContextFields, {}))).not.toContain('crew');
    expect(await all()).toContain('crew');
    expect(await namesIn(rig.ask(contracts.listContextFieldsOfProject, { projectId }))).toEqual(['crew']);
    const withRoot = await namesIn(rig.ask(contracts.listContextFieldsOfProject, { projectId, include: 'root' }));
    expect(withRoot).toEqual(expect.arrayContaining(['crew', 'userId']));
    await rig.ask(contracts.setLegalValueOfProject, { projectId, name: 'crew', value: 'ann' }, owner);
    await expect(
      rig.ask(contracts.updateContextFieldOfProject, { projectId, name: 'userId' }, owner),
    ).rejects.toMatchObject({ code: 'not-found' });
    await expect(rig.ask(contracts.updateContextField, { name: 'crew' }, owner)).rejects.toMatchObject({
      code: 'no-access',
    });
    expect((await eventsOf('crew')).map(({ type, project }) => [type, project])).toEqual([
      ['context-field-created', projectId],
      ['context-field-updated', projectId],
    ]);
    await expect(
      rig.ask(contracts.createContextFieldOfProject, { projectId: 'nowhere', name: 'x' }),
    ).rejects.toMatchObject({ code: 'not-found' });
    await expect(rig.ask(contracts.createContextField, { name: 'x', project: 'nowhere' })).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('"nowhere"'),
    });
  });

  it('that flags use are counted, and cannot be deleted', async () => {
    for (const name of ['constrained', 'sticky']) await rig.ask(contracts.createContextField, { name });
    await flagWith('constraining', { constraints: [{ contextName: 'constrained', operator: 'IN', values: ['a'] }] });
    await flagWith('sticking', { parameters: { stickiness: 'sticky', rollout: '10', groupId: 'g' } });
    for (const [field, flag] of Object.entries({ constrained: 'constraining', sticky: 'sticking' })) {
      expect(await get(field)).toMatchObject({ usedInFeatures: 1, usedInProjects: 1 });
      await expect(rig.ask(contracts.deleteContextField, { name: field })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(`the flag ${flag}`),
      });
    }
    await rig.db.kysely
      .insertInto('segments')
      .values({
        ...{ name: 'beta', description: null, project: null, created_by: 'root' },
        constraints: JSON.stringify([{ contextName: 'racing', operator: 'IN', values: ['a'] }]),
      })
      .execute();
    await expect(rig.ask(contracts.deleteContextField, { name: 'racing' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('the segment beta'),
    });
  });
});

describe('all context fields together', () => {
  const filled = (name: string, bytes: number) => ({ name, legalValues: values(bytes) });
  /** Legal values of as many bytes, of 100 letters each. */
  const values = (bytes: number) =>
    Array.from({ length: Math.ceil(bytes / 120) }, (_, n) => ({ value: `${n}`.padEnd(100, 'x') }));

  it('have at most so many bytes, however many writers race for the rest, and may shrink beyond it', async () => {
    await sql`
      insert into context_fields (name, legal_values)
      select 'large-' || n, json_build_array(json_build_object('value', repeat('x', 490000)))
      from generate_series(1, 20) n`.execute(rig.db.kysely);
    const makes = Array.from({ length: 4 }, (_, n) =>
      rig.ask(contracts.createContextField, filled(`more-${n}`, 80_000)),
    );
    const outcomes = await Promise.allSettled(makes);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'limit-exceeded' });
    const made = `more-${outcomes.findIndex(({ status }) => status === 'fulfilled')}`;
    const settings = { description: null, stickiness: false, sortOrder: 1 };
    const update = (bytes: number) =>
      rig.ask(contracts.updateContextField, { name: made, ...settings, legalValues: values(bytes) });
    await expect(update(200_000)).rejects.toMatchObject({ code: 'limit-exceeded' });
    await sql`insert into context_fields (name, description) values ('beyond', repeat('x', 1000000))`.execute(
      rig.db.kysely,
    );
    await update(40_000);
    expect((await get(made)).legalValues).toEqual(values(40_000));
    await sql`delete from context_fields where name like 'large-%' or name = 'beyond'`.execute(rig.db.kysely);
  });
});
