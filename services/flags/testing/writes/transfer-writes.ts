import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import {
  anyText,
  type ExpectedEvent,
  environment,
  flagData,
  ofFlag,
  projectId,
  strategyData,
  type Write,
  write,
} from './write.ts';

type Data = z.input<typeof contracts.importedSchema>;

const link = { url: 'https://example.com', title: 'Docs' };
const place = { project: projectId, environment };
const [name, stale] = ['imported', true];
const parent = { feature: 'parent', enabled: true, variants: [] };
const variant = { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' };
const squad = { name: 'squad', description: null, icon: null, color: '#FFA500' };
const port = { name: 'port', description: null, stickiness: false, sortOrder: 0, legalValues: [] };
const tag = (value: string) => ({ type: 'squad', value });
const ofImport = (event: ExpectedEvent): ExpectedEvent => ({ ...place, ...event });

/** What follows the events of the changes. */
function items(imported: Record<string, unknown>, value: string, ...tagTypes: object[]): ExpectedEvent[] {
  const data = { ...{ type: 'release', description: null, stale: false, impressionData: false }, ...imported };
  return [
    ofImport({ type: 'feature-import', featureName: name, data: { name, project: projectId, ...data } }),
    {
      ...{ type: 'feature-tag-import', project: projectId, featureName: name },
      data: { featureName: name, tag: tag(value) },
    },
    { type: 'tag-import', data: tag(value) },
    ...tagTypes.map((data): ExpectedEvent => ({ type: 'tag-type-import', data: { ...data } })),
    ofImport({ type: 'features-imported', data: { features: [name] } }),
  ];
}

const run = (data: Partial<Data>, emits: readonly ExpectedEvent[]) =>
  write(
    contracts.importFeatures,
    { document: { text: JSON.stringify({ ...place, data: { features: [], featureStrategies: [], ...data } }) } },
    emits,
  );

const tagged = (value: string) => [{ featureName: name, tagType: 'squad', tagValue: value }];
const added = (changes: Record<string, unknown>): ExpectedEvent => ({
  ...{ type: 'feature-strategy-add', environment, data: strategyData(name, changes) },
});
const described = flagData(name, { description: 'new', stale });

export const transferWrites: readonly Write[] = [
  write(contracts.storeImportPart, { uploadId: randomUUID(), part: 0, text: '{' }, []),
  write(contracts.discardImportParts, { uploadId: randomUUID() }, []),
  run(
    {
      features: [{ name }],
      featureStrategies: [{ featureName: name, name: 'default' }],
      featureEnvironments: [{ featureName: name, enabled: true }],
      contextFields: [{ name: 'port' }],
      featureTags: tagged('sails'),
      tagTypes: [{ name: 'squad', color: '#FFA500' }],
      dependencies: [{ feature: name, dependencies: [{ feature: 'parent' }] }],
    },
    [
      { type: 'tag-type-created', data: squad },
      { type: 'context-field-created', data: port },
      { type: 'tag-created', data: tag('sails') },
      ...ofFlag(
        name,
        { type: 'feature-created', data: flagData(name) },
        { type: 'feature-tagged', data: tag('sails') },
        added({}),
        { type: 'feature-environment-enabled', environment },
        { type: 'feature-dependency-added', data: parent },
      ),
      ...items({}, 'sails', squad),
    ],
  ),
  run(
    {
      features: [{ name, description: 'new', stale }],
      featureStrategies: [{ featureName: name, name: 'default', title: 'Other' }],
      featureEnvironments: [
        {
          featureName: name,
          enabled: false,
          variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
        },
      ],
      featureTags: tagged('masts'),
      links: [{ feature: name, links: [link] }],
    },
    [
      { type: 'tag-created', data: tag('masts') },
      ...ofFlag(
        name,
        {
          type: 'feature-metadata-updated',
          data: { ...described, links: [{ id: anyText, ...link }] },
          preData: { ...flagData(name), links: [] },
        },
        { type: 'feature-stale-on' },
        { type: 'feature-untagged', data: tag('sails') },
        { type: 'feature-tagged', data: tag('masts') },
        { type: 'feature-strategy-remove', environment, preData: strategyData(name) },
        added({ title: 'Other' }),
        {
          ...{ type: 'feature-environment-variants-updated', environment },
          ...{ data: { variants: [variant] }, preData: { variants: [] } },
        },
        { type: 'feature-environment-disabled', environment },
      ),
      ...items({ description: 'new', stale }, 'masts'),
    ],
  ),
  run(
    {
      features: [{ name, description: 'new' }],
      featureStrategies: [{ featureName: name, name: 'default', title: 'Other' }],
      featureTags: tagged('masts'),
    },
    [...ofFlag(name, { type: 'feature-stale-off' }), ...items({ description: 'new' }, 'masts')],
  ),
  // Each export is recorded in the log.
  write(
    contracts.exportFeatures,
    { environment, features: [name] },
    [{ type: 'features-exported', environment, data: { features: [name] } }],
    'the same',
  ),
];
