import * as contracts from '@yardarm/shared/contracts/flags';
import type { FlagsRig } from '../flags-rig.ts';
import { anyText, type ExpectedEvent, environment, flagData, ofFlag, projectId, type Write, write } from './write.ts';

/** The flag of `strategyWrites`. */
const featureName = 'detailed';
const place = { projectId, featureName, environment };

const blue = { name: 'blue', weight: 1000, weightType: 'variable' as const, stickiness: 'default' };
const sky = { ...blue, name: 'sky' };
const variants = (data: object[], preData: object[], where = environment): ExpectedEvent => ({
  ...{ type: 'feature-environment-variants-updated', environment: where },
  ...{ data: { variants: data }, preData: { variants: preData } },
});

const variantWrites: readonly Write[] = [
  write(contracts.replaceVariants, { ...place, variants: [blue] }, ofFlag(featureName, variants([blue], []))),
  write(
    contracts.patchVariants,
    { ...place, operations: [{ op: 'replace', path: '/0/name', value: 'sky' }] },
    ofFlag(featureName, variants([sky], [blue])),
  ),
  write(
    contracts.replaceVariantsInEnvironments,
    { projectId, featureName, environments: [environment, 'production'], variants: [blue] },
    ofFlag(featureName, variants([blue], [sky]), variants([blue], [], 'production')),
  ),
];

const parent = { feature: 'parent', enabled: true, variants: [] };
const off = { feature: 'parent', enabled: false, variants: [] };

const dependencyWrites: readonly Write[] = [
  write(
    contracts.addDependency,
    { projectId, child: featureName, feature: 'parent' },
    ofFlag(featureName, { type: 'feature-dependency-added', data: parent }),
  ),
  write(
    contracts.addDependency,
    { projectId, child: featureName, feature: 'parent', enabled: false },
    ofFlag(featureName, { type: 'feature-dependency-added', data: off, preData: parent }),
  ),
  write(
    contracts.deleteDependency,
    { projectId, child: featureName, parent: 'parent' },
    ofFlag(featureName, { type: 'feature-dependency-removed', preData: off }),
    'not-found',
  ),
  write(
    contracts.addDependency,
    { projectId, child: featureName, feature: 'parent' },
    ofFlag(featureName, { type: 'feature-dependency-added', data: parent }),
  ),
  write(
    contracts.deleteDependencies,
    { projectId, child: featureName },
    ofFlag(featureName, { type: 'feature-dependencies-removed', preData: { dependencies: [parent] } }),
    'not-found',
  ),
];

const linked = (...links: object[]) => flagData(featureName, { links });
const link = (url: string) => ({ id: anyText, url, title: 'Plan' });
const [one, two] = ['https://example.com/1', 'https://example.com/2'] as const;
const firstId = async (rig: FlagsRig) => (await rig.ask(contracts.getFeature, { projectId, featureName })).links[0]!.id;
const firstLink = async (rig: FlagsRig) => ({ projectId, featureName, linkId: await firstId(rig) });
const linksChanged = (data: object[], preData: object[]) =>
  ofFlag(featureName, { type: 'feature-metadata-updated', data: linked(...data), preData: linked(...preData) });

const linkWrites: readonly Write[] = [
  // The same again adds a second link.
  write(
    contracts.createFeatureLink,
    { projectId, featureName, url: one, title: 'Plan' },
    linksChanged([link(one)], []),
    'the same',
  ),
  write(
    contracts.updateFeatureLink,
    async (rig) => ({ ...(await firstLink(rig)), url: two }),
    linksChanged([link(two), link(one)], [link(one), link(one)]),
  ),
  write(contracts.deleteFeatureLink, firstLink, linksChanged([link(one)], [link(two), link(one)]), 'not-found'),
];

const red = { type: 'simple', value: 'red' };
const green = { type: 'simple', value: 'green' };
const brown = { type: 'simple', value: 'brown' };
const created = (tag: object): ExpectedEvent => ({ type: 'tag-created', data: { ...tag } });
const tagged = (tag: object): ExpectedEvent => ({ type: 'feature-tagged', data: { ...tag } });
const untagged = (tag: object): ExpectedEvent => ({ type: 'feature-untagged', data: { ...tag } });

const tagWrites: readonly Write[] = [
  write(
    contracts.createFeature,
    { projectId, name: 'tagged', tags: [red] },
    [created(red), ...ofFlag('tagged', { type: 'feature-created', data: flagData('tagged') })],
    'name-exists',
  ),
  write(
    contracts.createTag,
    { type: 'simple', value: 'unused' },
    [created({ ...red, value: 'unused' })],
    'name-exists',
  ),
  write(
    contracts.deleteTag,
    { type: 'simple', value: 'unused' },
    [{ type: 'tag-deleted', data: { ...red, value: 'unused' } }],
    'not-found',
  ),
  write(contracts.addFeatureTag, { featureName, ...green }, [created(green), ...ofFlag(featureName, tagged(green))]),
  write(contracts.updateFeatureTags, { featureName, addedTags: [brown], removedTags: [green] }, [
    created(brown),
    ...ofFlag(featureName, untagged(green), tagged(brown)),
  ]),
  write(
    contracts.updateTagsOfFeatures,
    { projectId, features: [featureName], tags: { addedTags: [{ ...red, value: 'new' }], removedTags: [brown] } },
    [created({ ...red, value: 'new' }), ...ofFlag(featureName, untagged(brown), tagged({ ...red, value: 'new' }))],
  ),
  write(
    contracts.removeFeatureTag,
    { featureName, ...red, value: 'new' },
    ofFlag(featureName, untagged({ ...red, value: 'new' })),
  ),
];

export const relationWrites: readonly Write[] = [
  ...[...variantWrites, ...dependencyWrites, ...linkWrites, ...tagWrites],
];
