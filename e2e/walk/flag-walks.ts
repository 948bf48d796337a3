import type { Json } from './fields.ts';
import { type View, viewsOf, type Walk, type WalkContext } from './walk.ts';

export const projectId = 'default';
export const environment = 'production';
export const inProduction = (feature: Json) => feature?.environments?.find(({ name }: Json) => name === environment);

/** The views of administrators and SDKs that have whole flags, with the part of the flag that is written. */
export function flagViews(
  context: WalkContext,
  name: string | ((body: Json) => string),
  at = '',
  pick: (feature: Json, body: Json) => Json = (feature) => feature,
): View[] {
  const { answer, client } = viewsOf(context);
  const nameOf = (body: Json) => (typeof name === 'string' ? name : name(body));
  const below = at === '' ? 'features[]' : `features[].${at}`;
  const among = ({ features }: Json, body: Json) =>
    pick(
      features.find((feature: Json) => feature.name === nameOf(body)),
      body,
    );
  const views = [
    answer('getFeatures', { params: { projectId }, at: below, pick: among }),
    answer('searchFeatures', { query: '?limit=1000', at: below, pick: among }),
  ];
  const token = context.system.clientTokens[environment];
  if (typeof name !== 'string') return [...views, answer('getAllClientFeatures', { token, at: below, pick: among })];
  const params = { projectId, featureName: name };
  return [...views, answer('getFeature', { params, at, pick }), ...client({ name, at, pick })];
}

const first = { type: 'experiment', description: 'One', stale: true, impressionData: true };
const second = { type: 'operational', description: 'Two', stale: false, impressionData: false };

export function flagWalks(context: WalkContext): Walk[] {
  const { api, person } = context;
  const { answer, event, other, client } = viewsOf(context);
  const make = (name: string) => api.call('createFeature', { projectId }, { body: { name } });

  const changed = (name: string, write: (body: Json) => Promise<unknown>): Walk => ({
    name: `a flag changed by ${name}`,
    operations: ['updateFeature'],
    bodies: [
      { ...first, archived: false },
      { ...second, archived: false },
    ],
    async write(body, index) {
      if (index === 0) await make(name);
      await write(body);
    },
    views: [...flagViews(context, name), event('feature-metadata-updated')],
    // A later walk has the other value of the archive. A name cannot change.
    selects: ['archived', 'name'],
  });

  return [
    {
      name: 'a new flag',
      operations: ['createFeature'],
      bodies: [
        { name: 'new-1', ...first, tags: [{ type: 'simple', value: 'one' }] },
        { name: 'new-2', ...second, tags: [{ type: 'other', value: 'two' }] },
      ].map(({ stale: _, ...body }) => body),
      async write(body, index) {
        if (index === 0) await api.call('createTagType', {}, { body: { name: 'other' } });
        await api.call('createFeature', { projectId }, { body });
      },
      views: [
        ...flagViews(context, ({ name }) => name),
        event('feature-created', { pick: ({ data, tags }) => ({ ...data, tags }) }),
      ],
      selects: ['tags[].color'],
      once: true,
    },
    changed('put', (body) => api.call('updateFeature', { projectId, featureName: 'put' }, { body })),
    changed('patch', (body) => {
      const operations = Object.entries(body).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
      return api.call('patchFeature', { projectId, featureName: 'patch' }, { body: operations });
    }),
    {
      name: 'the archive',
      operations: [],
      bodies: [{ archived: true }, { archived: false }],
      async write({ archived }, index) {
        if (index === 0) await make('archived');
        const body = [{ op: 'replace', path: '/archived', value: archived }];
        await api.call('patchFeature', { projectId, featureName: 'archived' }, { body });
      },
      views: [
        other('getFeature', ['archived'], async () => {
          const { features } = await api.call('searchFeatures', {}, { query: '?query=archived' });
          const path = `/api/admin/projects/${projectId}/features/archived`;
          const { status } = await context.system.call('GET', path);
          return (status === 200) === (features.length === 1) ? { archived: status === 404 } : {};
        }),
        other('searchFeatures', ['archived'], async () => {
          const find = async (query: string) => (await api.call('searchFeatures', {}, { query })).features;
          const archived = await find('?query=archived&archived=IS:true');
          const live = await find('?query=archived');
          return archived.length + live.length === 1 ? { archived: archived[0]?.archivedAt != null } : {};
        }),
        other('getFeatures and the clients', ['archived'], async () => {
          const isThere = async (operation: string, token?: string) => {
            const { features } = await api.call(operation, { projectId }, token ? { token } : {});
            return features.some(({ name }: Json) => name === 'archived');
          };
          const clients = Object.values(context.system.clientTokens);
          const all = [isThere('getFeatures'), ...clients.map((token) => isThere('getAllClientFeatures', token))];
          const [there, ...others] = await Promise.all(all);
          return others.every((each) => each === there) ? { archived: !there } : {};
        }),
        event(['feature-archived', 'feature-revived'], {
          pick: ({ type }) => ({ archived: type === 'feature-archived' }),
        }),
      ],
    },
    {
      name: 'the switch',
      operations: [],
      bodies: [{ enabled: true }, { enabled: false }],
      async write({ enabled }, index) {
        if (index === 0) await make('switched');
        const place = { projectId, featureName: 'switched', environment };
        await api.call(`toggleFeatureEnvironment${enabled ? 'On' : 'Off'}`, place);
      },
      views: [
        ...flagViews(context, 'switched', 'environments[]', inProduction),
        ...client({ name: 'switched' }),
        answer('getFeature', { params: { projectId, featureName: 'switched' } }),
        answer('getFeatureEnvironment', { params: { projectId, featureName: 'switched', environment } }),
        event(['feature-environment-enabled', 'feature-environment-disabled'], {
          pick: ({ type }) => ({ enabled: type === 'feature-environment-enabled' }),
        }),
      ],
    },
    {
      name: 'a favorite',
      operations: [],
      bodies: [{ favorite: true }, { favorite: false }],
      async write({ favorite }, index) {
        if (index === 0) await make('loved');
        const place = { projectId, featureName: 'loved' };
        await api.call(`${favorite ? 'add' : 'remove'}FavoriteFeature`, place, { token: person });
      },
      views: [
        answer('getFeature', { params: { projectId, featureName: 'loved' }, token: person }),
        ...[
          answer('getFeatures', { params: { projectId }, token: person, at: 'features[]', pick: named('loved') }),
          answer('searchFeatures', { query: '?query=loved', token: person, at: 'features[]', pick: named('loved') }),
        ],
        event(['feature-favorited', 'feature-unfavorited'], {
          pick: ({ type }) => ({ favorite: type === 'feature-favorited' }),
        }),
      ],
    },
    {
      name: 'the mark of staleness',
      operations: ['staleFeatures'],
      bodies: [
        { features: ['marked'], stale: true },
        { features: ['marked'], stale: false },
      ],
      async write(body, index) {
        if (index === 0) await make('marked');
        await api.call('staleFeatures', { projectId }, { body });
      },
      views: [
        ...flagViews(context, 'marked'),
        event(['feature-stale-on', 'feature-stale-off'], {
          pick: ({ type }) => ({ stale: type === 'feature-stale-on' }),
        }),
      ],
      selects: ['features[]'],
    },
    {
      name: 'a copy',
      operations: ['cloneFeature'],
      bodies: [
        { name: 'copy-1', replaceGroupId: true },
        { name: 'copy-2', replaceGroupId: false },
      ],
      async write(body, index) {
        if (index === 0) {
          await make('original');
          await api.call('toggleFeatureEnvironmentOn', { projectId, featureName: 'original', environment });
        }
        await api.call('cloneFeature', { projectId, featureName: 'original' }, { body });
      },
      views: [
        ...flagViews(context, ({ name }) => name),
        other('the strategies of the copy', ['replaceGroupId'], async ({ name }) => {
          const feature = await api.call('getFeature', { projectId, featureName: name });
          const [{ parameters }] = inProduction(feature).strategies;
          return { replaceGroupId: parameters.groupId === name };
        }),
        event('feature-created', { except: { replaceGroupId: 'shows in the strategies' } }),
      ],
      once: true,
    },
    {
      name: 'a move',
      operations: ['changeProject'],
      bodies: [{ newProjectId: 'elsewhere' }, { newProjectId: projectId }],
      async write(body, index) {
        if (index === 0) {
          await make('moved');
        }
        const from = index === 0 ? projectId : 'elsewhere';
        await api.call('changeProject', { projectId: from, featureName: 'moved' }, { body });
      },
      views: [
        ...client({ name: 'moved' }).map((view) =>
          other(view.name, ['newProjectId'], async (body) => ({ newProjectId: (await view.read(body)).project })),
        ),
        other('getFeature', ['newProjectId'], async ({ newProjectId }) => {
          const feature = await api.call('getFeature', { projectId: newProjectId, featureName: 'moved' });
          return { newProjectId: feature.project };
        }),
        other('searchFeatures', ['newProjectId'], async () => {
          const { features } = await api.call('searchFeatures', {}, { query: '?query=moved' });
          return { newProjectId: features[0].project };
        }),
        event('feature-project-change', { pick: ({ data }) => ({ newProjectId: data.newProject }) }),
      ],
      once: true,
    },
    {
      name: 'the completion',
      operations: ['complete'],
      bodies: [
        { status: 'kept', statusValue: 'blue' },
        { status: 'discarded', statusValue: 'red' },
      ],
      async write(body, index) {
        if (index === 0) await make('completed');
        await api.call('complete', { projectId, featureName: 'completed' }, { body });
      },
      views: [
        ...flagViews(context, 'completed', 'lifecycle', (feature) => feature?.lifecycle),
        answer('getFeatureLifecycle', {
          ...{ params: { projectId, featureName: 'completed' }, at: '[]', pick: (stages) => stages.at(-1) },
        }),
        event('feature-completed'),
      ],
    },
  ];
}

function named(expectedName: string) {
  return ({ features }: Json) => features.find(({ name }: Json) => name === expectedName);
}
