import type { Json } from './fields.ts';
import { environment, flagViews, inProduction, projectId } from './flag-walks.ts';
import { viewsOf, type Walk, type WalkContext } from './walk.ts';

export const constraints = [
  [
    { contextName: 'userId', operator: 'IN', caseInsensitive: false, inverted: false, values: ['1', '2'] },
    { contextName: 'age', operator: 'NUM_GT', caseInsensitive: false, inverted: false, value: '18' },
  ],
  [
    { contextName: 'mail', operator: 'STR_ENDS_WITH', caseInsensitive: true, inverted: true, values: ['.no'] },
    { contextName: 'version', operator: 'SEMVER_GTE', caseInsensitive: false, inverted: true, value: '1.2.3' },
  ],
];

const variants = [
  [
    ...[
      { name: 'blue', weight: 300, weightType: 'fix', stickiness: 'userId', payload: { type: 'string', value: 'b' } },
    ],
    { name: 'red', weight: 700, weightType: 'variable', stickiness: 'userId', payload: { type: 'csv', value: 'r,s' } },
  ],
  [
    ...[{ name: 'gold', weight: 600, weightType: 'fix', stickiness: 'random', payload: { type: 'json', value: '{}' } }],
    { name: 'gray', weight: 400, weightType: 'fix', stickiness: 'random', payload: { type: 'number', value: '1' } },
  ],
];

const overridden = variants.map((list, index) =>
  list.map((variant) => ({ ...variant, overrides: [{ contextName: `id${index}`, values: [`a${index}`, 'b'] }] })),
);

/** Whole strategies. A segment is given by its index. */
export const strategyBodies = (segmentIds: readonly number[]): Json[] => [
  {
    ...{ name: 'flexibleRollout', title: 'One', disabled: false, sortOrder: 4, segments: [segmentIds[0]] },
    ...{ constraints: constraints[0], variants: variants[0] },
    parameters: { rollout: '50', stickiness: 'default', groupId: 'one' },
  },
  {
    ...{ name: 'flexibleRollout', title: 'Two', disabled: false, sortOrder: 5, segments: [...segmentIds].reverse() },
    ...{ constraints: constraints[1], variants: variants[1] },
    parameters: { rollout: '25', stickiness: 'userId', groupId: 'two' },
  },
];

/** Two segments for strategies. Their constraint is on `region`. */
export async function makeSegments({ api }: WalkContext): Promise<number[]> {
  const ids: number[] = [];
  for (const name of ['north', 'south']) {
    const body = { name, constraints: [{ contextName: 'region', operator: 'IN', values: [name] }] };
    ids.push((await api.call('createSegment', {}, { body })).id);
  }
  return ids;
}

export function detailWalks(context: WalkContext, segmentIds: readonly number[]): Walk[] {
  const { api } = context;
  const { answer, client, event, other } = viewsOf(context);
  const make = (name: string) => api.call('createFeature', { projectId }, { body: { name } });
  const segments = [...segmentIds];

  const strategy = (featureName: string, change: 'updateFeatureStrategy' | 'patchFeatureStrategy'): Walk => {
    const place = { projectId, featureName, environment };
    let strategyId = '';
    const [one, two] = strategyBodies(segments);
    const sorted = { ...two, segments };
    const ownConstraints = ({ strategies: [found] }: Json) =>
      found && { ...found, constraints: found.constraints.filter(({ contextName }: Json) => contextName !== 'region') };
    const views = flagViews(
      context,
      featureName,
      'environments[].strategies[]',
      (flag) => inProduction(flag)?.strategies?.[0],
    );
    const inlined = 'SDKs get the constraints of the segments';
    const name = 'the strategy with another name is disabled';
    const ofClient = { name: featureName, at: 'strategies[]', shows: ({ disabled }: Json) => !disabled };
    return {
      name: `a strategy changed by ${change}`,
      operations: ['addFeatureStrategy', 'updateFeatureStrategy'],
      bodies: [one, sorted, { ...sorted, name: 'default', disabled: true, parameters: {} }],
      async write(body, index) {
        if (index === 0) {
          await make(featureName);
          strategyId = (await api.call('addFeatureStrategy', place, { body })).id;
        } else if (change === 'updateFeatureStrategy') {
          await api.call(change, { ...place, strategyId }, { body });
        } else {
          const operations = Object.entries(body).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
          await api.call(change, { ...place, strategyId }, { body: operations });
        }
      },
      views: [
        ...views,
        ...flagViews(context, featureName, 'strategies[]', (flag) => flag?.strategies?.[0]).filter(
          ({ name: view }) => !/Client|Delta/.test(view),
        ),
        answer('getFeatureStrategy', { params: () => ({ ...place, strategyId }) }),
        answer('getFeatureStrategies', { params: place, at: '[]', pick: (list) => list[0] }),
        answer('getFeatureEnvironment', { params: place, at: 'strategies[]', pick: (found) => found.strategies[0] }),
        answer('getPlayground', {
          body: { environment, projects: [projectId], context: { appName: 'walk' } },
          at: 'features[].strategies.data[]',
          pick: ({ features }) => features.find(({ name }: Json) => name === featureName).strategies.data[0],
        }),
        ...client({ ...ofClient, withSegments: true, except: { name }, pick: (flag) => flag.strategies[0] }),
        ...client({ ...ofClient, except: { name, 'segments[]': inlined }, pick: ownConstraints }).filter(
          ({ name: view }) => !view.startsWith('getDelta'),
        ),
        other('getStrategiesByContextField', ['constraints[].contextName'], async (body) => ({
          constraints: await Promise.all(
            body.constraints.map(async ({ contextName }: Json) => {
              const found = await Promise.all([
                api.call('getStrategiesByContextField', { contextField: contextName }),
                api.call('getStrategiesByContextFieldForProject', { projectId, contextField: contextName }),
              ]);
              const isFound = found.every(({ strategies }) => strategies.some(({ id }: Json) => id === strategyId));
              return { contextName: isFound ? contextName : null };
            }),
          ),
        })),
        event(['feature-strategy-add', 'feature-strategy-update']),
      ],
    };
  };

  const variantPlace = { projectId, featureName: 'varied', environment };
  const varied = (
    operation: string,
    field: '' | 'variants',
    write: (body: Json) => Promise<unknown>,
    by = operation,
  ): Walk => {
    const inBody = (list: Json) => (field === '' ? (list ?? []) : { variants: list ?? [] });
    const at = (path: string) => (field === '' ? path : path.replace(/\.?variants$/, ''));
    return {
      name: `variants changed by ${by}`,
      operations: [operation],
      bodies: overridden.map((list) => (field === '' ? list : { variants: list, environments: [environment] })),
      write,
      views: [
        ...flagViews(context, 'varied', at('environments[].variants'), (flag) => inBody(inProduction(flag)?.variants)),
        ...flagViews(context, 'varied', at('variants'), (flag) => inBody(flag?.variants)),
        answer('getEnvironmentFeatureVariants', {
          ...{ params: variantPlace, at: at('variants'), pick: (found) => inBody(found.variants) },
        }),
        other('listParentVariantOptions', [field === '' ? '[].name' : 'variants[].name'], async () => {
          const names = await api.call('listParentVariantOptions', { projectId, parent: 'varied' });
          return inBody(names.map((name: string) => ({ name })));
        }),
        event('feature-environment-variants-updated', { pick: ({ data }) => inBody(data.variants) }),
      ],
      selects: ['environments[]'],
    };
  };

  return [
    strategy('by-put', 'updateFeatureStrategy'),
    strategy('by-patch', 'patchFeatureStrategy'),
    varied('overwriteEnvironmentFeatureVariants', '', async (body) => {
      await api.call('createFeature', { projectId }, { body: { name: 'varied' } }).catch(() => {});
      await api.call('overwriteEnvironmentFeatureVariants', variantPlace, { body });
    }),
    varied(
      'overwriteEnvironmentFeatureVariants',
      '',
      (body) => {
        const operations = body.map((value: Json, index: number) => ({ op: 'replace', path: `/${index}`, value }));
        return api.call('patchEnvironmentsFeatureVariants', variantPlace, { body: operations });
      },
      'patchEnvironmentsFeatureVariants',
    ),
    varied('overwriteFeatureVariantsOnEnvironments', 'variants', (body) =>
      api.call('overwriteFeatureVariantsOnEnvironments', variantPlace, { body }),
    ),
  ];
}
