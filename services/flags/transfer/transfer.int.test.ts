// Proves export and import of flags over a real bus and Postgres.
import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';

type Data = z.input<typeof contracts.importedSchema>;

const project = 'default';
const place = { project, environment: 'development' };
const empty: Data = { features: [], featureStrategies: [] };
const viewer: Actor = { kind: 'user', id: 8, username: 'viewer', grants: [] };

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await rig.db.kysely
    .insertInto('segments')
    .values({ name: 'beta-users', description: null, project: null, constraints: '[]', created_by: 'root' })
    .execute();
});
afterAll(() => rig?.stop());

const sent = (data: Partial<Data>, at = place) => ({
  document: { text: JSON.stringify({ ...at, data: { ...empty, ...data } }) },
});
const run = (data: Partial<Data>, actor?: Actor, at = place) =>
  rig.ask(contracts.importFeatures, sent(data, at), actor);
const validate = async (data: Partial<Data>) => (await rig.askMany(contracts.validateImport, sent(data)))[0]!;
const get = (featureName: string) => rig.ask(contracts.getFeature, { projectId: project, featureName });
const revisions = async () => (await rig.ask(contracts.listRevisions, {})).environments;

async function exported(filter: { features?: string[]; tag?: string; project?: string }) {
  const pieces = await rig.askMany(contracts.exportFeatures, { environment: 'development', ...filter });
  const keys = Object.keys(contracts.exportedSchema.shape) as (keyof contracts.ExportedFeatures)[];
  return Object.fromEntries(
    keys.map((key) => [key, pieces.flatMap((piece) => piece[key] as unknown[])]),
  ) as contracts.ExportedFeatures;
}

const whole: Partial<Data> = {
  features: [
    { name: 'imported', type: 'experiment', description: 'From elsewhere', stale: true, impressionData: true },
    { name: 'parent' },
  ],
  featureStrategies: [
    {
      ...{ featureName: 'imported', name: 'flexibleRollout', title: 'Half', segments: [77] },
      parameters: { rollout: '50', stickiness: 'default', groupId: 'imported' },
      constraints: [{ contextName: 'harbour', operator: 'IN', values: ['oslo'] }],
    },
    { featureName: 'imported', name: 'default', disabled: true },
  ],
  featureEnvironments: [
    { featureName: 'imported', enabled: true, variants: [{ name: 'v', weight: 1000, stickiness: 'default' }] },
  ],
  contextFields: [{ name: 'harbour', legalValues: [{ value: 'oslo' }] }],
  featureTags: [{ featureName: 'imported', tagType: 'squad', tagValue: 'sails' }],
  segments: [{ id: 77, name: 'beta-users' }],
  tagTypes: [{ name: 'squad', color: '#FFA500' }],
  dependencies: [{ feature: 'imported', dependencies: [{ feature: 'parent' }] }],
  links: [{ feature: 'imported', links: [{ url: 'https://example.com', title: 'Docs' }] }],
};

describe('an import', () => {
  it('makes flags with all that belongs to them, and emits the events of its changes and then of its items', async () => {
    expect(await validate(whole)).toEqual({ errors: [], warnings: [], permissions: [] });
    const before = await revisions();
    await run(whole);
    expect(await get('imported')).toMatchObject({
      ...{ type: 'experiment', description: 'From elsewhere', stale: true, impressionData: true, enabled: true },
      tags: [{ type: 'squad', value: 'sails' }],
      dependencies: [{ feature: 'parent', enabled: true, variants: [] }],
      environments: [
        {
          ...{ name: 'development', enabled: true, variants: [{ name: 'v', weight: 1000 }] },
          strategies: [
            { name: 'flexibleRollout', title: 'Half', segments: [1], constraints: [{ contextName: 'harbour' }] },
            { name: 'default', disabled: true },
          ],
        },
        { name: 'production', enabled: false, strategies: [] },
      ],
    });
    const after = await revisions();
    for (const environment of ['development', 'production']) {
      expect(after[environment]?.default).toBe((before[environment]?.default ?? 0) + 1);
    }
    expect(
      (await rig.events()).map(({ type, featureName }) => (featureName ? `${type} ${featureName}` : type)),
    ).toEqual([
      ...['tag-type-created', 'context-field-created', 'tag-created', 'feature-created imported'],
      ...['feature-tagged imported', 'feature-strategy-add imported', 'feature-strategy-add imported'],
      ...['feature-environment-variants-updated imported', 'feature-environment-enabled imported'],
      ...['feature-dependency-added imported', 'feature-created parent', 'feature-import imported'],
      ...['feature-import parent', 'feature-tag-import imported', 'tag-import', 'tag-type-import', 'features-imported'],
    ]);
  });

  it('that changes nothing emits nothing and raises no revision', async () => {
    const [before, events] = [await revisions(), (await rig.events()).length];
    await run(whole);
    expect(await revisions()).toEqual(before);
    expect(await rig.events()).toHaveLength(events);
  });

  it('replaces the strategies, switches and tags of the flags that it names', async () => {
    await run({
      features: [{ name: 'imported', type: 'experiment' }],
      featureStrategies: [{ featureName: 'imported', name: 'userWithId', parameters: { userIds: '7' } }],
      featureEnvironments: [{ featureName: 'imported', enabled: false }],
      featureTags: [{ featureName: 'imported', tagType: 'simple', tagValue: 'new' }],
    });
    const feature = await get('imported');
    expect(feature).toMatchObject({ description: null, stale: false, enabled: false, tags: [{ value: 'new' }] });
    expect(feature.environments[0]?.strategies.map(({ name }) => name)).toEqual(['userWithId']);
    expect(feature.environments[0]?.variants).toHaveLength(1);
    const types = (await rig.events('imported')).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['feature-untagged', 'feature-strategy-remove', 'feature-stale-off']));
  });

  it('reads what an export wrote, into another environment too', async () => {
    const data = await exported({ features: ['imported'] });
    expect(data.features.map(({ name }) => name)).toEqual(['imported']);
    expect(data.links).toEqual([{ feature: 'imported', links: [{ url: 'https://example.com', title: 'Docs' }] }]);
    await run(data as Data, undefined, { project, environment: 'production' });
    const [development, production] = (await get('imported')).environments;
    expect(production?.strategies).toMatchObject(
      (development?.strategies ?? []).map(({ id: _, ...strategy }) => strategy),
    );
    const [event] = (await rig.events()).filter(({ type }) => type === 'features-exported');
    expect(event).toMatchObject({ data: { features: ['imported'] }, environment: 'development' });
  });

  it('names every problem and then changes nothing', async () => {
    await rig.ask(contracts.createFeature, { projectId: project, name: 'gone' });
    await sql`update features set archived_at = now() where name = 'gone'`.execute(rig.db.kysely);
    const wrong: Partial<Data> = {
      features: [{ name: 'gone' }, { name: 'fresh', type: 'nonsense' }, { name: 'fresh' }],
      featureStrategies: [
        { featureName: 'fresh', name: 'flexibleRollout', segments: [5], parameters: { rollout: '101' } },
        { featureName: 'absent', name: 'default' },
      ],
      segments: [{ id: 5, name: 'nobody' }],
      contextFields: [{ name: 'harbour', legalValues: [{ value: 'bergen' }] }],
      featureTags: [{ featureName: 'fresh', tagType: 'unknown', tagValue: 'xx' }],
      dependencies: [{ feature: 'fresh', dependencies: [{ feature: 'imported' }, { feature: 'nowhere' }] }],
    };
    const { errors } = await validate(wrong);
    expect(errors.map(({ affectedItems }) => affectedItems)).toEqual(
      expect.arrayContaining([
        ['gone'],
        ['fresh'],
        ['absent'],
        ['nobody'],
        ['nonsense'],
        ['harbour'],
        ['unknown'],
        ['nowhere'],
      ]),
    );
    expect(JSON.stringify(errors)).toContain('rollout');
    const events = (await rig.events()).length;
    await expect(run(wrong)).rejects.toMatchObject({ code: 'bad-data', details: { length: errors.length } });
    await expect(run({}, undefined, { project: 'nowhere', environment: 'development' })).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('.project'),
    });
    await expect(run({ features: [{ name: 'not a name' }] })).rejects.toMatchObject({ code: 'validation' });
    expect(await rig.events()).toHaveLength(events);
  });

  it('needs the permissions of its changes', async () => {
    const data: Partial<Data> = { features: [{ name: 'forbidden' }], featureStrategies: [] };
    await expect(run(data, viewer)).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringContaining('CREATE_FEATURE'),
    });
    const updater: Actor = { ...viewer, grants: [{ permissions: ['CREATE_FEATURE'], projects: [project] }] };
    await run(data, updater);
    expect(await validate(data)).toMatchObject({ warnings: [{ affectedItems: ['forbidden'] }] });
  });

  it('takes a document in parts, which are used once', async () => {
    const text = JSON.stringify({ ...place, data: { ...empty, features: [{ name: 'in-parts' }] } });
    const uploadId = randomUUID();
    for (const [part, piece] of [text.slice(0, 40), text.slice(40)].entries()) {
      await rig.ask(contracts.storeImportPart, { uploadId, part, text: piece });
    }
    await rig.ask(contracts.importFeatures, { document: { uploadId } });
    expect(await get('in-parts')).toMatchObject({ name: 'in-parts' });
    await expect(rig.ask(contracts.importFeatures, { document: { uploadId } })).rejects.toMatchObject({
      code: 'validation',
    });
  });

  it('of 5,000 flags takes effect whole, and no other request fails because of it', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `many.${index}`);
    const data: Partial<Data> = {
      features: names.map((name) => ({ name, description: 'One of many' })),
      featureStrategies: names.map((featureName) => ({ featureName, name: 'flexibleRollout' })),
      featureEnvironments: names.map((featureName) => ({ featureName, enabled: true })),
      featureTags: names.map((featureName) => ({ featureName, tagType: 'simple', tagValue: 'many' })),
    };
    const uploadId = randomUUID();
    const text = JSON.stringify({ ...place, data });
    for (let at = 0; at < text.length; at += 150_000) {
      await rig.ask(contracts.storeImportPart, { uploadId, part: at / 150_000, text: text.slice(at, at + 150_000) });
    }
    let isOver = false;
    const importing = rig.ask(contracts.importFeatures, { document: { uploadId } }).finally(() => {
      isOver = true;
    });
    const failures: unknown[] = [];
    let others = 0;
    for (; !isOver; others += 1) {
      await Promise.all([
        rig.ask(contracts.createFeature, { projectId: project, name: `other.${others}` }),
        rig.ask(contracts.addFeatureTag, { featureName: 'parent', type: 'simple', value: `tag ${others % 40}` }),
        rig.ask(contracts.switchEnvironment, {
          ...{ projectId: project, featureName: 'parent', environment: 'development', enabled: others % 2 === 0 },
        }),
      ]).catch((error: unknown) => failures.push(error));
    }
    await importing;
    expect(failures).toEqual([]);
    expect(others).toBeGreaterThan(0);
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from feature_environments
      where feature_name like 'many.%' and environment = 'development' and enabled`.execute(rig.db.kysely);
    expect(rows[0]?.count).toBe(5_000);
    const found = await exported({ tag: 'simple:many' });
    expect(found.features).toHaveLength(5_000);
    expect(found.featureStrategies).toHaveLength(5_000);
  }, 60_000);
});
