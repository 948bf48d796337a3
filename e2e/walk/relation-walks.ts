import type { Json } from './fields.ts';
import { environment, flagViews, inProduction, projectId } from './flag-walks.ts';
import { viewsOf, type Walk, type WalkContext } from './walk.ts';

/** What flags refer to, and what refers to them. */
export function relationWalks(context: WalkContext, segmentIds: readonly number[]): Walk[] {
  const { api } = context;
  const { answer, event, other } = viewsOf(context);
  const make = (...names: string[]) =>
    Promise.all(names.map((name) => api.call('createFeature', { projectId }, { body: { name } })));
  const place = { projectId, featureName: 'linked' };
  const strategyPlace = { projectId, featureName: 'ordered', environment };
  let linkId = '';
  const strategyIds: string[] = [];

  return [
    {
      name: 'a dependency',
      operations: ['addFeatureDependency'],
      // Several parents, each with the same fields.
      selects: ['parents[].feature', 'parents[].enabled', 'parents[].variants[]'],
      bodies: [
        { feature: 'parent-1', enabled: true, variants: ['blue'] },
        { feature: 'parent-2', enabled: true, variants: ['red', 'gold'] },
        // A disabled parent has no variant.
        { feature: 'parent-1', enabled: false },
      ],
      async write(body, index) {
        const child = { projectId, child: 'child' };
        if (index === 0) await make('parent-1', 'parent-2', 'child');
        else await api.call('deleteFeatureDependencies', child);
        await api.call('addFeatureDependency', child, { body });
      },
      views: [
        ...flagViews(context, 'child', 'dependencies[]', (flag) => flag?.dependencies?.[0]),
        other('children in getFeature', ['feature'], async ({ feature }) => {
          const { children } = await api.call('getFeature', { projectId, featureName: feature });
          return { feature: children[0] === 'child' ? feature : null };
        }),
        other('dependencyType in searchFeatures', ['feature'], async () => {
          const { features } = await api.call('searchFeatures', {}, { query: '?query=parent-' });
          return { feature: features.find(({ dependencyType }: Json) => dependencyType === 'parent')?.name };
        }),
        event('feature-dependency-added'),
      ],
      once: true,
    },
    {
      name: 'a link',
      operations: ['createFeatureLink', 'updateFeatureLink'],
      bodies: [
        { url: 'https://example.com/1', title: 'One' },
        { url: 'https://example.com/2', title: 'Two' },
      ],
      async write(body, index) {
        if (index === 0) {
          await make('linked');
          await api.call('createFeatureLink', place, { body });
          linkId = (await api.call('getFeature', place)).links[0].id;
        } else await api.call('updateFeatureLink', { ...place, linkId }, { body });
      },
      views: [
        ...flagViews(context, 'linked', 'links[]', (flag) => flag?.links?.[0]),
        event('feature-metadata-updated', { pick: ({ data }) => data.links[0] }),
      ],
    },
    {
      name: 'the order of strategies',
      operations: ['setStrategySortOrder'],
      bodies: [
        [{ sortOrder: 1 }, { sortOrder: 2 }],
        [{ sortOrder: 7 }, { sortOrder: 3 }],
      ],
      async write(body, index) {
        if (index === 0) {
          await make('ordered');
          for (const title of ['A', 'B']) {
            const added = await api.call('addFeatureStrategy', strategyPlace, { body: { name: 'default', title } });
            strategyIds.push(added.id);
          }
        }
        const order = body.map((each: Json, position: number) => ({ id: strategyIds[position], ...each }));
        await api.call('setStrategySortOrder', strategyPlace, { body: order });
      },
      views: [
        ...flagViews(context, 'ordered', 'environments[].strategies', (flag) =>
          byTitle(inProduction(flag)?.strategies ?? []),
        ),
        answer('getFeatureStrategies', { params: strategyPlace, pick: byTitle }),
        other('getClientFeature', ['[].sortOrder'], async (body) => {
          const token = context.system.clientTokens[environment];
          const { strategies } = await api.call('getClientFeature', strategyPlace, { token });
          const isReversed = strategies[0].title === 'B';
          return isReversed === body[0].sortOrder > body[1].sortOrder ? body : [];
        }),
      ],
      selects: ['[].id'],
    },
    {
      name: 'the segments of a strategy',
      operations: ['updateFeatureStrategySegments'],
      bodies: [{ segmentIds: [segmentIds[0]] }, { segmentIds: [segmentIds[1]] }],
      async write(body) {
        const where = { projectId, strategyId: strategyIds[0], environmentId: environment };
        await api.call('updateFeatureStrategySegments', {}, { body: { ...where, ...body } });
      },
      views: [
        other('getFeatureStrategy', ['segmentIds[]'], async () => {
          const params = { ...strategyPlace, strategyId: strategyIds[0]! };
          return { segmentIds: (await api.call('getFeatureStrategy', params)).segments };
        }),
        other('getSegmentsByStrategyId', ['segmentIds[]'], async () => {
          const { segments } = await api.call('getSegmentsByStrategyId', { strategyId: strategyIds[0]! });
          return { segmentIds: segments.map(({ id }: Json) => id) };
        }),
        event('feature-strategy-update', { pick: ({ data }) => ({ segmentIds: data.segments }) }),
      ],
      selects: ['projectId', 'strategyId', 'environmentId'],
    },
    ...tagWalks(context),
  ];
}

const byTitle = (strategies: Json[]) => strategies.sort((one, other) => (one.title < other.title ? -1 : 1));

function tagWalks(context: WalkContext): Walk[] {
  const { api } = context;
  const { answer, event, other } = viewsOf(context);
  const one = { type: 'simple', value: 'first' };
  const two = { type: 'team', value: 'second' };
  const make = async (name: string) => {
    await api.call('createFeature', { projectId }, { body: { name } });
    await api.call('createTagType', {}, { body: { name: 'team' } }).catch(() => {});
  };
  const listed = (featureName: string, pick: (feature: Json) => Json) => [
    ...flagViews(context, featureName, 'tags[]', pick),
    answer('listTags', { params: { featureName }, at: 'tags[]', pick }),
  ];
  const last = (found: Json) => found?.tags?.at(-1);
  const ofValue = ({ tags }: Json, { value }: Json) => tags.find((tag: Json) => tag.value === value);
  const changes = (operation: 'updateTags' | 'addTagToFeatures', featureName: string): Walk => {
    const isBulk = operation === 'addTagToFeatures';
    const bodyOf = (tags: Json) => (isBulk ? { features: [featureName], tags } : tags);
    const view = (name: string, list: 'addedTags' | 'removedTags', read: () => Promise<Json[]>) => {
      const fields = ['type', 'value'].map((field) => `${isBulk ? 'tags.' : ''}${list}[].${field}`);
      return other(`${list} in ${name}`, fields, async () => bodyOf({ [list]: await read() }));
    };
    return {
      name: `tags changed by ${operation}`,
      operations: [operation],
      bodies: [bodyOf({ addedTags: [one], removedTags: [two] }), bodyOf({ addedTags: [two], removedTags: [one] })],
      async write(body, index) {
        if (index === 0) {
          await make(featureName);
          await api.call('addTag', { featureName }, { body: two });
        }
        await api.call(operation, { projectId, featureName }, { body });
      },
      views: [
        view('listTags', 'addedTags', async () => (await api.call('listTags', { featureName })).tags),
        view('event', 'addedTags', async () => [await event('feature-tagged').read({})]),
        view('event', 'removedTags', async () => [await event('feature-untagged').read({})]),
      ],
      selects: ['features[]', ...['addedTags', 'removedTags'].map((list) => `${isBulk ? 'tags.' : ''}${list}[].color`)],
    };
  };
  const selects = ['color'];
  return [
    {
      name: 'a tag',
      operations: ['createTag'],
      selects,
      bodies: [one, two],
      async write(body, index) {
        if (index === 0) await make('untagged');
        await api.call('createTag', {}, { body });
      },
      views: [
        answer('getTags', { at: 'tags[]', pick: ofValue }),
        other('getTagsByType', ['type', 'value'], async (body) =>
          ofValue(await api.call('getTagsByType', { type: body.type }), body),
        ),
        other('getTag', ['type', 'value'], async (body) => (await api.call('getTag', body)).tag),
        event('tag-created'),
      ],
      once: true,
    },
    {
      name: 'a tag of a flag',
      operations: ['addTag'],
      selects,
      bodies: [one, two],
      async write(body, index) {
        if (index === 0) await make('tagged');
        await api.call('addTag', { featureName: 'tagged' }, { body });
      },
      views: [
        ...listed('tagged', last),
        other('getAllClientFeatures by tag', ['type', 'value'], async ({ type, value }) => {
          const options = { token: context.system.clientTokens[environment], query: `?tag=${type}:${value}` };
          const { features } = await api.call('getAllClientFeatures', {}, options);
          return features.some(({ name }: Json) => name === 'tagged') ? { type, value } : {};
        }),
        event('feature-tagged'),
      ],
    },
    changes('updateTags', 'tags-put'),
    changes('addTagToFeatures', 'tags-bulk'),
  ];
}
