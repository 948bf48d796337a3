import { importedSchema } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { fieldsOf, type Json, type JsonSchema } from './fields.ts';
import { environment, projectId } from './flag-walks.ts';
import { viewsOf, type Walk, type WalkContext } from './walk.ts';

/** What the document of an import may have. */
const fields = fieldsOf(z.toJSONSchema(importedSchema, { io: 'input', metadata: z.registry() }) as JsonSchema);

/** A document with one flag that has everything, and its parent. */
function documentOf(index: 0 | 1): Json {
  const name = `imported-${index}`;
  const parent = `${name}-parent`;
  const [isFirst, isSecond] = [index === 0, index === 1];
  const [field, city] = [`port-${index}`, `city-${index}`];
  const variants = [
    {
      ...{ name: `v-${index}`, weight: 600 - 100 * index, weightType: 'fix', stickiness: `s-${index}` },
      ...{ payload: { type: isFirst ? 'string' : 'json', value: `${index}` } },
    },
    {
      ...{ name: `w-${index}`, weight: 400 + 100 * index, weightType: isFirst ? 'variable' : 'fix' },
      ...{ stickiness: `s-${index}`, payload: { type: 'number', value: `${index}` } },
    },
  ];
  const overrides = [{ contextName: field, values: [`value-${index}`] }];
  return {
    features: [
      {
        ...{ name, type: isFirst ? 'experiment' : 'operational', description: name },
        ...{ stale: isFirst, impressionData: isFirst },
      },
      { name: parent, type: 'release', description: parent, stale: isSecond, impressionData: isSecond },
    ],
    featureStrategies: [
      {
        ...{ featureName: name, name: isFirst ? 'flexibleRollout' : 'default', title: name, disabled: isSecond },
        ...{ sortOrder: index + 3, segments: [900 + index], variants },
        constraints: [
          {
            contextName: field,
            operator: isFirst ? 'IN' : 'NOT_IN',
            values: [city],
            caseInsensitive: isFirst,
            inverted: isFirst,
          },
          { contextName: 'age', operator: 'NUM_GT', value: `${index}`, caseInsensitive: isSecond, inverted: isSecond },
        ],
        parameters: isFirst ? { rollout: '50', stickiness: 'default', groupId: name } : {},
      },
    ],
    featureEnvironments: [
      {
        ...{ featureName: name, name: environment, enabled: isFirst },
        variants: variants.map((variant) => ({ ...variant, overrides })),
      },
      { featureName: parent, name: environment, enabled: isSecond, variants: [] },
    ],
    contextFields: [
      {
        ...{ name: field, description: field, stickiness: isFirst, sortOrder: index + 1 },
        legalValues: [{ value: city, description: name }],
      },
    ],
    featureTags: [{ featureName: name, tagType: `team-${index}`, tagValue: `tag-${index}` }],
    segments: [{ id: 900 + index, name: isFirst ? 'north' : 'south' }],
    tagTypes: [{ name: `team-${index}`, description: name, icon: `${index}`, color: `#00000${index}` }],
    dependencies: [
      { feature: name, dependencies: [{ feature: parent, enabled: isFirst, variants: isFirst ? ['v-0'] : [] }] },
    ],
    links: [{ feature: name, links: [{ url: `https://example.com/${index}`, title: name }] }],
  };
}

/** The second document again, with a parent that has to be on with a variant. */
function withEnabledParent(): Json {
  const second = documentOf(1);
  const [{ feature, dependencies }] = second.dependencies;
  return {
    ...second,
    dependencies: [{ feature, dependencies: [{ ...dependencies[0], enabled: true, variants: ['v-1'] }] }],
  };
}

/** Everything of an imported document is in an export of its flags. */
export function transferWalk(context: WalkContext): Walk {
  const { api } = context;
  const { other } = viewsOf(context);
  const ownIds = ['segments[].id', 'featureStrategies[].segments[]'];
  // Other names of tagType and tagValue, and what the importing project replaces.
  const selects = [
    'featureTags[].type',
    'featureTags[].value',
    'contextFields[].project',
    'featureEnvironments[].name',
  ];
  const visible = fields.filter((field) => ![...ownIds, ...selects].includes(field));
  const namesOf = (data: Json) => data.features.map(({ name }: Json) => name);
  return {
    ...{ name: 'an import', operations: [], fields, selects: [...selects, ...ownIds] },
    bodies: [documentOf(0), documentOf(1), withEnabledParent()],
    write: (data) => api.call('importToggles', {}, { body: { project: projectId, environment, data } }),
    views: [
      other('exportFeatures', visible, (data) =>
        api.call('exportFeatures', {}, { body: { environment, features: namesOf(data) } }),
      ),
      other(
        'events feature-import',
        visible.filter((field) => field.startsWith('features')),
        async (data) => {
          const { events } = await api.call(
            'deprecatedSearchEvents',
            {},
            { body: { type: 'feature-import', limit: 2 } },
          );
          const ofName = (name: string) => events.find(({ featureName }: Json) => featureName === name)?.data;
          return { features: namesOf(data).map(ofName) };
        },
      ),
    ],
  };
}
