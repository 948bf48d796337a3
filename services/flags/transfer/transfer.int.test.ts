// Proves export and import of flags over a real bus and Postgres.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import {
  exportDocument,
  type ImportedData,
  importPlace,
  sentDocument,
  uploadDocument,
  validateDocument,
} from '../testing/imports.ts';

const project = 'default';
const viewer: Actor = { kind: 'user', id: 8, username: 'viewer', grants: [] };

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await rig.ask(contracts.createSegment, { name: 'beta-users', constraints: [] });
});
afterAll(() => rig?.stop());

const run = (data: ImportedData, actor?: Actor, at = importPlace) =>
  rig.ask(contracts.importFeatures, sentDocument(data, at), actor);
const validate = (data: ImportedData) => validateDocument(rig, sentDocument(data));
const get = (featureName: string) => rig.ask(contracts.getFeature, { projectId: project, featureName });
const revisions = async () => (await rig.ask(contracts.listRevisions, {})).environments;
const eventsSince = async (count: number) =>
  (await rig.events()).slice(count).map(({ type, featureName }) => (featureName ? `${type} ${featureName}` : type));

const whole: ImportedData = {
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
    expect(await validate(whole)).toEqual({
      ...{ errors: [], permissions: [] },
      warnings: [{ message: 'These flags will be switched on in the environment:', affectedItems: ['imported'] }],
    });
    const [before, count] = [await revisions(), (await rig.events()).length];
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
    expect(await eventsSince(count)).toEqual([
      ...['tag-type-created', 'context-field-created', 'tag-created', 'feature-created imported'],
      ...[
        'feature-metadata-updated imported',
        'feature-tagged imported',
        'feature-strategy-add imported',
        'feature-strategy-add imported',
      ],
      ...['feature-environment-variants-updated imported', 'feature-environment-enabled imported'],
      ...['feature-dependency-added imported', 'feature-created parent', 'feature-import imported'],
      ...['feature-import parent', 'feature-tag-import imported', 'tag-import', 'tag-type-import', 'features-imported'],
    ]);
  });

  it('has its events in the log in this order, although their ordering keys differ', async () => {
    await rig.service.processAll();
    const types = (await rig.published()).map(({ payload }) => (payload as { type: string }).type);
    const ofItems = ['feature-import', 'feature-import', 'feature-tag-import', 'tag-import', 'tag-type-import'];
    expect(types.slice(-6)).toEqual([...ofItems, 'features-imported']);
    const imported = (await rig.events('imported')).filter(({ type }) => type.endsWith('-import'));
    expect(imported.map(({ tags }) => tags)).toEqual(Array(2).fill([{ type: 'squad', value: 'sails' }]));
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

  it('gives a rollout without parameters those of a new one', async () => {
    await run({
      features: [{ name: 'rolled-out' }],
      featureStrategies: [{ featureName: 'rolled-out', name: 'flexibleRollout' }],
    });
    const { environments } = await get('rolled-out');
    const parameters = { rollout: '100', stickiness: 'default', groupId: 'rolled-out' };
    expect(environments[0]?.strategies).toMatchObject([{ name: 'flexibleRollout', parameters }]);
  });

  it('reads what an export wrote, into another environment too', async () => {
    const data = await exportDocument(rig, { features: ['imported'] });
    expect(data.features.map(({ name }) => name)).toEqual(['imported']);
    const ofProject = await exportDocument(rig, { project });
    expect(ofProject.features.length).toBeGreaterThan(1);
    expect(await exportDocument(rig, { features: [], project })).toEqual(ofProject);
    expect((await exportDocument(rig, { features: [] })).features).toEqual(expect.arrayContaining(ofProject.features));
    const id = (await get('imported')).links[0]!.id;
    const links = [{ id, url: 'https://example.com', title: 'Docs' }];
    expect(data.links).toEqual([{ feature: 'imported', links }]);
    await run(data as ImportedData, undefined, { project, environment: 'production' });
    const [development, production] = (await get('imported')).environments;
    expect(production?.strategies).toMatchObject(
      (development?.strategies ?? []).map(({ id: _, ...strategy }) => strategy),
    );
    const [event] = (await rig.events()).filter(({ type }) => type === 'features-exported');
    expect(event).toMatchObject({ data: { features: ['imported'] }, environment: 'development' });
  });

  it('replaces links, which SDKs do not see', async () => {
    const features = [{ name: 'imported', type: 'experiment' }];
    const featureStrategies = [{ featureName: 'imported', name: 'userWithId', parameters: { userIds: '7' } }];
    // The flag loses the tag of the import before.
    await run({ features, featureStrategies });
    const {
      tags,
      links: [known],
    } = await get('imported');
    expect(tags).toEqual([]);
    const [before, count] = [await revisions(), (await rig.events()).length];
    const added = ['https://example.com/b', 'https://example.com/a'].map((url) => ({ url, title: null }));
    const links = [{ url: 'https://example.com', title: 'Docs' }, ...added];
    await run({ features, featureStrategies, links: [{ feature: 'imported', links }] });
    const own = (await get('imported')).links.map(({ id, url, title }) => ({ id, url, title }));
    expect(own).toMatchObject([{ id: known!.id, url: 'https://example.com', title: 'Docs' }, ...added]);
    expect(await revisions()).toEqual(before);
    const [event, ...others] = (await rig.events()).slice(count);
    expect(event).toMatchObject({
      ...{ type: 'feature-metadata-updated', featureName: 'imported' },
      ...{ data: { name: 'imported', links: own }, preData: { name: 'imported', links: own.slice(0, 1) } },
    });
    expect(others.map(({ type }) => type)).toEqual(['feature-import', 'features-imported']);

    const a = { url: 'https://example.com/a', title: 'A' };
    await run({ features, featureStrategies, links: [{ feature: 'imported', links: [a] }] });
    expect((await get('imported')).links).toMatchObject([a]);
    // A document that names no links of the flag leaves them.
    await run({ features, featureStrategies });
    expect((await get('imported')).links).toHaveLength(1);
    await run({ features, featureStrategies, links: [{ feature: 'imported', links: [] }] });
    expect((await get('imported')).links).toEqual([]);
  });

  it('of disabled strategies alone raises no revision', async () => {
    const [before, count] = [await revisions(), (await rig.events()).length];
    await run({
      features: [{ name: 'imported', type: 'experiment' }],
      featureStrategies: [
        { featureName: 'imported', name: 'userWithId', parameters: { userIds: '7' } },
        { featureName: 'imported', name: 'default', disabled: true },
      ],
    });
    expect(await revisions()).toEqual(before);
    expect(await eventsSince(count)).toEqual([
      ...['feature-strategy-remove imported', 'feature-strategy-add imported', 'feature-strategy-add imported'],
      ...['feature-import imported', 'features-imported'],
    ]);
  });

  it('takes the last of several dependencies on one parent', async () => {
    const parents = [{ feature: 'parent' }, { feature: 'parent', enabled: false }];
    const features = [{ name: 'imported', type: 'experiment' }];
    await run({ features, dependencies: [{ feature: 'imported', dependencies: parents }] });
    expect(await get('imported')).toMatchObject({ dependencies: [{ feature: 'parent', enabled: false }] });
  });

  it('replaces the parents of a flag, unless the document names none for it', async () => {
    const features = [{ name: 'imported', type: 'experiment' }];
    await rig.ask(contracts.createFeature, { projectId: project, name: 'other-parent' });
    const count = (await rig.events()).length;
    const other = [{ feature: 'imported', dependencies: [{ feature: 'other-parent' }] }];
    await run({ features, dependencies: other });
    expect((await get('imported')).dependencies).toMatchObject([{ feature: 'other-parent' }]);
    expect((await eventsSince(count)).slice(0, 2)).toEqual([
      ...['feature-dependency-removed imported', 'feature-dependency-added imported'],
    ]);
    await run({ features });
    expect((await get('imported')).dependencies).toHaveLength(1);
    // A parent that the document takes away may become a child.
    await run({
      features: [...features, { name: 'other-parent' }],
      dependencies: [
        { feature: 'imported', dependencies: [] },
        { feature: 'other-parent', dependencies: [{ feature: 'imported' }] },
      ],
    });
    expect((await get('imported')).dependencies).toEqual([]);
    expect((await get('other-parent')).dependencies).toMatchObject([{ feature: 'imported' }]);
  });

  it('leaves out flags that are archived, and imports the others', async () => {
    await rig.ask(contracts.createFeature, { projectId: project, name: 'archived-here' });
    await rig.ask(contracts.archiveFeature, { projectId: project, featureName: 'archived-here' });
    const names = ['archived-here', 'archived-there', 'beside'];
    const data: ImportedData = {
      features: names.map((name) => ({ name, archived: name === 'archived-there' })),
      featureStrategies: names.map((featureName) => ({ featureName, name: 'default' })),
      featureEnvironments: names.map((featureName) => ({ featureName, enabled: true })),
      featureTags: names.map((featureName) => ({ featureName, tagType: 'simple', tagValue: 'imported' })),
      links: names.map((feature) => ({ feature, links: [{ url: 'https://example.com' }] })),
    };
    expect(await validate(data)).toEqual({
      ...{ errors: [], permissions: [] },
      warnings: [
        { message: 'These flags will be switched on in the environment:', affectedItems: ['beside'] },
        {
          message: 'These flags are archived in the project and will not be imported. Revive them first:',
          affectedItems: ['archived-here'],
        },
        {
          message: 'These flags are archived in the document and will not be imported:',
          affectedItems: ['archived-there'],
        },
      ],
    });
    const count = (await rig.events()).length;
    await run(data);
    expect(await get('beside')).toMatchObject({ enabled: true });
    for (const name of names.slice(0, 2)) await expect(get(name)).rejects.toMatchObject({ code: 'not-found' });
    const events = await eventsSince(count);
    expect(events.filter((event) => event.includes('archived'))).toEqual([]);
    expect(events).toContain('feature-import beside');
  });

  it('needs the permissions of its changes', async () => {
    const data: ImportedData = { features: [{ name: 'forbidden' }], featureStrategies: [] };
    await expect(run(data, viewer)).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringContaining('CREATE_FEATURE'),
    });
    const updater: Actor = { ...viewer, grants: [{ permissions: ['CREATE_FEATURE'], projects: [project] }] };
    await run(data, updater);
    expect(await validate(data)).toMatchObject({ warnings: [{ affectedItems: ['forbidden'] }] });
  });

  it('needs a permission of imports in its project even if it changes nothing', async () => {
    const nothing: ImportedData = {};
    await expect(run(nothing, viewer)).rejects.toMatchObject({ code: 'no-access' });
    const elsewhere: Actor = { ...viewer, grants: [{ permissions: ['UPDATE_FEATURE'], projects: ['elsewhere'] }] };
    const data = await exportDocument(rig, { features: ['parent'] });
    for (const same of [nothing, data as ImportedData]) {
      await expect(run(same, elsewhere)).rejects.toMatchObject({ code: 'no-access' });
      expect((await validateDocument(rig, sentDocument(same), elsewhere)).permissions).toEqual([
        expect.objectContaining({ affectedItems: [expect.stringMatching(/^CREATE_FEATURE or UPDATE_FEATURE or /)] }),
      ]);
    }
    await run(nothing, { ...elsewhere, grants: [{ permissions: ['UPDATE_FEATURE'], projects: [project] }] });
  });

  it('takes a document in parts, which are used once', async () => {
    // The text has two parts.
    const description = 'x'.repeat(9_000);
    const names = Array.from({ length: 20 }, (_, index) => `in-parts-${index}`);
    const sent = await uploadDocument(rig, { features: names.map((name) => ({ name, description })) });
    await rig.ask(contracts.importFeatures, sent);
    for (const name of names) expect(await get(name)).toMatchObject({ description });
    await expect(rig.ask(contracts.importFeatures, sent)).rejects.toMatchObject({ code: 'validation' });
  });
});
