import { constraints } from './detail-walks.ts';
import type { Json } from './fields.ts';
import { environment, projectId } from './flag-walks.ts';
import { viewsOf, type Walk, type WalkContext } from './walk.ts';

const byName =
  (list: string) =>
  (answer: Json, { name }: Json) =>
    answer[list].find((each: Json) => each.name === name);

export function definitionWalks(context: WalkContext): Walk[] {
  const { api, system } = context;
  const { answer, event, other } = viewsOf(context);
  let segmentId = 0;
  const segmentUse = { projectId, featureName: 'segmented', environment };

  return [
    {
      name: 'a segment',
      operations: ['createSegment', 'updateSegment'],
      bodies: [
        { name: 'east', description: 'One', project: null, constraints: constraints[0] },
        { name: 'west', description: 'Two', project: projectId, constraints: constraints[1] },
      ],
      async write(body, index) {
        if (index > 0) return await api.call('updateSegment', { id: segmentId }, { body });
        segmentId = (await api.call('createSegment', {}, { body })).id;
        await api.call('createFeature', { projectId }, { body: { name: 'segmented' } });
        const strategy = { name: 'default', segments: [segmentId] };
        await api.call('addFeatureStrategy', segmentUse, { body: strategy });
      },
      views: [
        answer('getSegment', { params: () => ({ id: segmentId }) }),
        answer('getSegments', { at: 'segments[]', pick: byName('segments') }),
        other('getSegmentsByStrategyId', ['name', 'description', 'project'], async () => {
          const [{ id: strategyId }] = await api.call('getFeatureStrategies', segmentUse);
          return (await api.call('getSegmentsByStrategyId', { strategyId })).segments[0];
        }),
        other('searchFeatures', ['name'], async ({ name }) => {
          const { features } = await api.call('searchFeatures', {}, { query: `?segment=INCLUDE:${name}` });
          return { name: features[0]?.segments[0] };
        }),
        answer('getClientFeature', {
          ...{ params: segmentUse, token: system.clientTokens.production, at: 'strategies[]' },
          ...{ pick: ({ strategies }) => strategies[0], except: { name: 'SDKs get the constraints' } },
        }),
        answer('getAllClientFeatures', {
          ...{ token: system.clientTokens.production, at: 'segments[]', withSegments: true },
          pick: ({ segments }) => segments.find(({ id }: Json) => id === segmentId),
        }),
        answer('getDelta', {
          ...{ token: system.clientTokens.production, at: 'events[].segments[]' },
          pick: ({ events }) => events[0].segments.find(({ id }: Json) => id === segmentId),
        }),
        event(['segment-created', 'segment-updated']),
      ],
    },
    {
      name: 'a tag type',
      operations: ['createTagType', 'updateTagType'],
      bodies: [
        { name: 'squad', description: 'One', icon: 'S', color: '#000001' },
        { name: 'squad', description: 'Two', icon: 'T', color: '#000002' },
      ],
      selects: ['name'],
      async write({ name, ...body }, index) {
        if (index > 0) return await api.call('updateTagType', { name }, { body });
        await api.call('createTagType', {}, { body: { name, ...body } });
        await api.call(
          'createFeature',
          { projectId },
          { body: { name: 'squads', tags: [{ type: name, value: 'red' }] } },
        );
      },
      views: [
        answer('getTagType', { params: { name: 'squad' }, at: 'tagType', pick: ({ tagType }) => tagType }),
        answer('getTagTypes', { at: 'tagTypes[]', pick: byName('tagTypes') }),
        answer('listTags', { params: { featureName: 'squads' }, at: 'tags[]', pick: ({ tags }) => tags[0] }),
        answer('searchFeatures', {
          ...{ query: '?query=squads', at: 'features[].tags[]', pick: ({ features }) => features[0].tags[0] },
        }),
        event(['tag-type-created', 'tag-type-updated']),
      ],
    },
    {
      name: 'the name of a tag type',
      operations: [],
      bodies: [{ name: 'crew' }, { name: 'boat' }],
      write: (body) => api.call('createTagType', {}, { body }),
      views: [answer('getTagTypes', { at: 'tagTypes[]', pick: byName('tagTypes') }), event('tag-type-created')],
      once: true,
    },
    {
      name: 'the name of a strategy type',
      operations: [],
      bodies: [{ name: 'town' }, { name: 'port' }],
      write: (body) => api.call('createStrategy', {}, { body: { ...body, parameters: [] } }),
      views: [
        answer('getAllStrategies', { at: 'strategies[]', pick: byName('strategies') }),
        event('strategy-created'),
      ],
      once: true,
    },
    {
      name: 'a strategy type',
      operations: ['createStrategy', 'updateStrategy'],
      bodies: [
        {
          ...{ name: 'country', title: 'One', description: 'First' },
          parameters: [{ name: 'countries', type: 'list', description: 'Codes', required: true }],
        },
        {
          ...{ name: 'country', title: 'Two', description: 'Second' },
          parameters: [{ name: 'share', type: 'percentage', description: 'Part', required: false }],
        },
      ],
      selects: ['name'],
      write: ({ name, ...body }, index) =>
        index > 0
          ? api.call('updateStrategy', { name }, { body })
          : api.call('createStrategy', {}, { body: { name, ...body } }),
      views: [
        answer('getStrategy', { params: { name: 'country' } }),
        answer('getAllStrategies', { at: 'strategies[]', pick: byName('strategies') }),
        event(['strategy-created', 'strategy-updated']),
      ],
    },
    {
      name: 'a deprecation',
      operations: [],
      bodies: [{ deprecated: true }, { deprecated: false }],
      write: ({ deprecated }) =>
        api.call(deprecated ? 'deprecateStrategy' : 'reactivateStrategy', { strategyName: 'country' }),
      views: [
        answer('getStrategy', { params: { name: 'country' } }),
        event(['strategy-deprecated', 'strategy-reactivated'], {
          pick: ({ type }) => ({ deprecated: type === 'strategy-deprecated' }),
        }),
      ],
    },
    {
      name: 'a lifetime',
      operations: ['updateFeatureTypeLifetime'],
      bodies: [{ lifetimeDays: 11 }, { lifetimeDays: null }],
      write: (body) => api.call('updateFeatureTypeLifetime', { id: 'experiment' }, { body }),
      views: [
        answer('getAllFeatureTypes', {
          ...{ at: 'types[]', pick: ({ types }) => types.find(({ id }: Json) => id === 'experiment') },
        }),
        event('feature-type-updated'),
      ],
    },
    {
      name: 'an application',
      operations: ['createApplication'],
      bodies: [
        { description: 'One', url: 'https://example.com/1', color: 'red', icon: 'https://example.com/1.ico' },
        { description: 'Two', url: 'https://example.com/2', color: 'blue', icon: 'https://example.com/2.ico' },
      ].map((body, index) => ({ ...body, strategies: [`strategy-${index}`] })),
      write: (body) => api.call('createApplication', { appName: 'crm' }, { body }),
      views: [
        answer('getApplication', {
          params: { appName: 'crm' },
          pick: (found) => ({ ...found, strategies: found.strategies.map(({ name }: Json) => name) }),
        }),
        answer('getApplications', { at: 'applications[]', pick: ({ applications }) => applications[0] }),
      ],
    },
    ...['', 'ForProject'].flatMap((where) => contextWalks(context, where)),
  ];
}

/** The context fields of all projects, or those of one. */
function contextWalks(context: WalkContext, where: string): Walk[] {
  const { api } = context;
  const { answer, event, other } = viewsOf(context);
  const operation = (name: string) => `${name}${where}`;
  const name = `plan${where}`;
  const place = { projectId, contextField: name };
  const list = operation('getContextFields');
  const among = (fields: Json, body: Json) => fields.find((field: Json) => field.name === (body.name ?? name));
  const settings = [
    { description: 'One', stickiness: true, sortOrder: 3, legalValues: [{ value: 'gold', description: 'Most' }] },
    { description: 'Two', stickiness: false, sortOrder: 4, legalValues: [{ value: 'tin', description: 'Least' }] },
  ];
  const project = where === '' ? [{ project: projectId }, { project: 'elsewhere' }] : [{}, {}];
  return [
    {
      name: `a new context field${where}`,
      operations: [operation('createContextField')],
      bodies: settings.map((body, index) => ({ name: `new${where}${index}`, ...body, ...project[index] })),
      write: (body) => api.call(operation('createContextField'), { projectId }, { body }),
      views: [
        answer(list, { params: { projectId }, query: '?include=project', at: '[]', pick: among }),
        event('context-field-created'),
      ],
      once: true,
    },
    {
      name: `a context field${where}`,
      operations: [operation('updateContextField')],
      bodies: settings,
      async write(body, index) {
        if (index === 0) await api.call(operation('createContextField'), { projectId }, { body: { name } });
        await api.call(operation('updateContextField'), place, { body });
      },
      views: [
        answer(operation('getContextField'), { params: place }),
        answer(list, { params: { projectId }, query: '?include=project', at: '[]', pick: among }),
        event('context-field-updated'),
      ],
    },
    {
      name: `a legal value${where}`,
      operations: [operation('updateContextFieldLegalValue')],
      bodies: [
        { value: 'iron', description: 'Hard' },
        { value: 'lead', description: 'Soft' },
      ],
      write: (body) => api.call(operation('updateContextFieldLegalValue'), place, { body }),
      views: [
        answer(operation('getContextField'), {
          ...{ params: place, at: 'legalValues[]', pick: ({ legalValues }) => legalValues.at(-1) },
        }),
        other('event', ['value', 'description'], async () =>
          (await event('context-field-updated').read({})).legalValues.at(-1),
        ),
      ],
    },
  ];
}
