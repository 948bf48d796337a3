// Proves that the validation of an import lists every problem of the document, and that such an import writes nothing.

import * as contracts from '@yardarm/shared/contracts/flags';
import { longTest } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { type ImportedData, importPlace, sentDocument, uploadDocument, validateDocument } from '../testing/imports.ts';

const projectId = 'default';
/** The default limit of a NATS message. */
const messageBytes = 1_048_576;

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig({ UNLEASH_FEATURE_FLAGS_LIMIT: '60' });
  for (const name of ['existing', 'parent']) await rig.ask(contracts.createFeature, { projectId, name });
  await rig.ask(contracts.addDependency, { projectId, child: 'existing', feature: 'parent' });
  await rig.ask(contracts.createContextField, { name: 'harbour', legalValues: [{ value: 'oslo' }] });
});
afterAll(() => rig?.stop());

const validate = (data: ImportedData) => validateDocument(rig, sentDocument(data));
const run = (data: ImportedData, at = importPlace) => rig.ask(contracts.importFeatures, sentDocument(data, at));

/** The problems of a document, which an import refuses with all of them. */
async function problemsOf(data: ImportedData): Promise<Record<string, string[]>> {
  const { errors } = await validate(data);
  const count = (await rig.events()).length;
  await expect(run(data)).rejects.toMatchObject({ code: 'bad-data', details: { length: errors.length } });
  expect(await rig.events()).toHaveLength(count);
  return Object.fromEntries(errors.map(({ message, affectedItems }) => [message, affectedItems]));
}

describe('the validation of an import', () => {
  it('lists the problems of everything that a document has', async () => {
    const problems = await problemsOf({
      features: [{ name: 'fresh', type: 'nonsense' }, { name: 'fresh' }],
      featureStrategies: [
        { featureName: 'fresh', name: 'default', segments: [5] },
        { featureName: 'absent', name: 'default' },
      ],
      segments: [{ id: 5, name: 'nobody' }],
      contextFields: [
        { name: 'harbour', legalValues: [{ value: 'bergen' }] },
        { name: 'sea', legalValues: [{ value: 'north' }, { value: 'north' }] },
      ],
      featureTags: [{ featureName: 'fresh', tagType: 'unknown', tagValue: 'xx' }],
      dependencies: [{ feature: 'fresh', dependencies: [{ feature: 'existing' }, { feature: 'nowhere' }] }],
    });
    expect(problems).toEqual({
      'These flags occur more than once in the document:': ['fresh'],
      'These flag types do not exist:': ['nonsense'],
      'The document refers to these flags and does not have them:': ['absent'],
      'These segments do not exist and need to be created first:': ['nobody'],
      'These context fields exist without all legal values of the document:': ['harbour'],
      'These context fields are invalid:': [expect.stringMatching(/^sea: .*legalValues\[1\]/)],
      'These tag types do not exist, and the document does not have them:': ['unknown'],
      'These parents of flags do not exist in the project and need to be created first:': ['nowhere'],
      'These flags would depend on a flag that depends on another:': ['fresh'],
    });
  });

  it('lists every problem of a strategy and of variants', async () => {
    const problems = await problemsOf({
      features: [{ name: 'fresh' }],
      featureStrategies: [
        {
          ...{ featureName: 'fresh', name: 'flexibleRollout', sortOrder: -1, parameters: { rollout: '101' } },
          constraints: [
            { contextName: 'age', operator: 'NUM_GT', value: 'old' },
            { contextName: 'harbour', operator: 'IN', values: ['bergen'] },
          ],
        },
      ],
      featureEnvironments: [
        {
          ...{ featureName: 'fresh', enabled: true },
          variants: ['a', 'a'].map((name) => ({ name, weight: 1, payload: { type: 'number', value: name } })),
        },
      ],
    });
    expect(problems).toEqual({
      'These strategies are invalid:': ['.parameters.rollout', '.sortOrder', '.constraints[0]', '.constraints[1]'].map(
        (property) => expect.stringContaining(`fresh: The ${property}`),
      ),
      'These variants are invalid:': ['[0].payload', '[1].name', '[1].payload'].map((property) =>
        expect.stringContaining(`fresh: The .variants${property}`),
      ),
    });
  });

  it('lists what does not conform to the schema beside the other problems', async () => {
    const problems = await problemsOf({
      features: [{ name: 'not a name' }, { name: 'fresh', type: 'nonsense' }],
      featureStrategies: [{ featureName: 'not a name', name: 'default' }],
      featureTags: [{ featureName: 'fresh', tagValue: 'x' }],
      dependencies: [{ feature: 'fresh', dependencies: [{ feature: 'parent', variants: [''] }] }],
      links: [{ feature: 'fresh', links: [{ url: 'javascript:alert(1)' }] }],
    });
    expect(problems).toEqual({
      'The document has properties that do not conform to the schema:': [
        expect.stringMatching(/^The \.data\.features\[0\]\.name property .*You sent "not a name"\.$/),
        expect.stringContaining('.data.featureTags[0].tagValue'),
        expect.stringContaining('.data.dependencies[0].dependencies[0].variants[0]'),
        expect.stringContaining('.data.links[0].links[0].url'),
      ],
      'These flag types do not exist:': ['nonsense'],
    });
  });

  it('names the place, and lists without which there is no document', async () => {
    await expect(run({}, { project: 'nowhere', environment: 'development' })).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('.project'),
    });
    await expect(run({}, { project: projectId, environment: 'nowhere' })).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('.environment'),
    });
    const text = JSON.stringify({ ...importPlace, data: { features: 'all', featureStrategies: [] } });
    await expect(rig.ask(contracts.importFeatures, { document: { text } })).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('.data.features'),
    });
  });

  it('lists the limits of parents and links', async () => {
    const names = Array.from({ length: 31 }, (_, index) => `parent-${index}`);
    const links = Array.from({ length: 51 }, (_, index) => ({ url: `https://example.com/${index}` }));
    const place = { projectId, featureName: 'existing' };
    await rig.ask(contracts.createFeatureLink, { ...place, url: 'https://example.com' });
    const data: ImportedData = {
      features: ['existing', ...names].map((name) => ({ name })),
      dependencies: [{ feature: 'existing', dependencies: names.map((feature) => ({ feature })) }],
      links: [{ feature: 'existing', links }],
    };
    expect(await problemsOf(data)).toEqual({
      'A flag may depend on at most 30 flags:': ['existing'],
      'A flag may have at most 50 links:': ['existing'],
    });
    // They replace those that the flag has.
    await run({
      ...data,
      dependencies: [{ feature: 'existing', dependencies: names.slice(1).map((feature) => ({ feature })) }],
      links: [{ feature: 'existing', links: links.slice(1) }],
    });
    const feature = await rig.ask(contracts.getFeature, place);
    expect([feature.dependencies.length, feature.links.length]).toEqual([30, 50]);
  });

  it('lists the limits of flags', async () => {
    const settings = { name: 'Default', featureLimit: 40 };
    await rig.ask(contracts.updateProject, { projectId, ...settings });
    const features = Array.from({ length: 30 }, (_, index) => ({ name: `too-many-${index}` }));
    expect(await problemsOf({ features })).toEqual({
      'There may be at most 60 features. With the import there would be:': ['63'],
      'The project may have at most 40 features. With the import it would have:': ['63'],
    });
  });

  longTest('sends problems that fill more than a message', async () => {
    const tagTypes = Array.from({ length: 10_000 }, (_, index) => ({ name: `too long ${index} ${'x'.repeat(60)}` }));
    const { errors } = await validateDocument(rig, await uploadDocument(rig, { tagTypes }));
    expect(JSON.stringify(errors).length).toBeGreaterThan(messageBytes);
    expect(errors.flatMap(({ affectedItems }) => affectedItems)).toHaveLength(10_000);
    const again = await uploadDocument(rig, { tagTypes });
    await expect(rig.ask(contracts.importFeatures, again)).rejects.toMatchObject({ code: 'bad-data' });
  });
});
