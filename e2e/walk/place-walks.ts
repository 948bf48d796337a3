import { strategyBodies } from './detail-walks.ts';
import type { Json } from './fields.ts';
import { flagViews, projectId } from './flag-walks.ts';
import { viewsOf, type Walk, type WalkContext } from './walk.ts';

const named =
  (name: string) =>
  ({ environments }: Json) =>
    environments.find((each: Json) => each.name === name);

export function placeWalks(context: WalkContext, segmentIds: readonly number[]): Walk[] {
  return [...projectWalks(context), ...environmentWalks(context), ...defaultStrategyWalks(context, segmentIds)];
}

function projectWalks(context: WalkContext): Walk[] {
  const { api, person } = context;
  const { answer, event, other } = viewsOf(context);
  const shop = { projectId: 'shop' };
  const listed = (id?: string) =>
    answer('getProjects', {
      at: 'projects[]',
      pick: ({ projects }, body) => projects.find((project: Json) => project.id === (id ?? body.id)),
    });
  const overview = answer('getProjectOverview', { params: shop });
  return [
    {
      name: 'a new project',
      operations: ['createProject'],
      bodies: [
        {
          ...{ id: 'shop', name: 'Shop', description: 'One', defaultStickiness: 'userId', featureLimit: 5 },
          environments: ['development'],
        },
        {
          ...{ id: 'bank', name: 'Bank', description: 'Two', defaultStickiness: 'random', featureLimit: null },
          environments: ['development', 'production'],
        },
      ],
      write: (body) => api.call('createProject', {}, { body }),
      views: [
        listed(),
        other(
          'getProjectOverview',
          ['name', 'description', 'defaultStickiness', 'featureLimit', 'environments[]'],
          async ({ id }) => {
            const found = await api.call('getProjectOverview', { projectId: id });
            return { ...found, environments: found.environments.map((each: Json) => each.environment) };
          },
        ),
        event('project-created', { except: { 'environments[]': 'as in the public product' } }),
      ],
      once: true,
    },
    {
      name: 'a project',
      operations: ['updateProject'],
      bodies: [
        { name: 'Web shop', description: 'Three', defaultStickiness: 'default', featureLimit: 6 },
        { name: 'Store', description: 'Four', defaultStickiness: 'random', featureLimit: 7 },
      ],
      write: (body) => api.call('updateProject', shop, { body }),
      views: [listed('shop'), overview, event('project-updated')],
    },
    {
      name: 'the settings of a project',
      operations: ['updateProjectEnterpriseSettings'],
      bodies: [
        {
          featureNaming: { pattern: 'shop-.+', example: 'shop-one', description: 'One' },
          linkTemplates: [{ title: 'One', urlTemplate: 'https://example.com/{{feature}}' }],
          featureLimit: 8,
        },
        {
          featureNaming: { pattern: 'store-.+', example: 'store-one', description: 'Two' },
          linkTemplates: [{ title: 'Two', urlTemplate: 'https://example.org/{{feature}}' }],
          featureLimit: 9,
        },
      ],
      write: (body) => api.call('updateProjectEnterpriseSettings', shop, { body }),
      views: [overview, event('project-updated')],
    },
    {
      name: 'a favorite project',
      operations: [],
      bodies: [{ favorite: true }, { favorite: false }],
      write: ({ favorite }) => api.call(`${favorite ? 'add' : 'remove'}FavoriteProject`, shop, { token: person }),
      views: [
        answer('getProjectOverview', { params: shop, token: person }),
        answer('getProjects', {
          ...{ at: 'projects[]', token: person },
          pick: ({ projects }) => projects.find(({ id }: Json) => id === 'shop'),
        }),
        event(['project-favorited', 'project-unfavorited'], {
          pick: ({ type }) => ({ favorite: type === 'project-favorited' }),
        }),
      ],
    },
  ];
}

function environmentWalks(context: WalkContext): Walk[] {
  const { api } = context;
  const { answer, event, other } = viewsOf(context);
  const staging = { name: 'staging' };
  const all = answer('getAllEnvironments', {
    at: 'environments[]',
    pick: (found, { name = 'staging' }) => named(name)(found),
  });
  const ofProject = answer('getProjectEnvironments', {
    ...{ params: { projectId }, at: 'environments[]' },
    pick: (found, { name = 'staging' }) => named(name)(found),
  });
  return [
    {
      name: 'a new environment',
      operations: ['createEnvironment'],
      bodies: [
        { name: 'staging', type: 'test', enabled: true, sortOrder: 11 },
        { name: 'demo', type: 'preproduction', enabled: false, sortOrder: 12 },
      ],
      write: (body) => api.call('createEnvironment', {}, { body }),
      views: [all, ofProject, event('environment-created')],
      once: true,
    },
    {
      name: 'an environment',
      operations: ['updateEnvironment'],
      bodies: [
        { type: 'development', sortOrder: 13 },
        { type: 'preproduction', sortOrder: 14 },
      ],
      async write(body, index) {
        if (index === 0) {
          await api.call('addEnvironmentToProject', { projectId }, { body: { environment: 'staging' } });
          await api.call('createFeature', { projectId }, { body: { name: 'staged' } });
        }
        await api.call('updateEnvironment', staging, { body });
      },
      views: [
        ...[all, ofProject, answer('getEnvironment', { params: staging })],
        ...flagViews(context, 'staged', 'environments[]', (flag) => flag?.environments && named('staging')(flag)),
        answer('getFeatureEnvironment', { params: { projectId, featureName: 'staged', environment: 'staging' } }),
        event('environment-updated'),
      ],
    },
    {
      name: 'the switch of an environment',
      operations: [],
      bodies: [{ enabled: false }, { enabled: true }],
      write: ({ enabled }) => api.call(`toggleEnvironment${enabled ? 'On' : 'Off'}`, staging),
      views: [all, ofProject, answer('getEnvironment', { params: staging }), event('environment-updated')],
    },
    {
      name: 'the order of environments',
      operations: [],
      bodies: [{ sortOrder: 21 }, { sortOrder: 22 }],
      write: ({ sortOrder }) => api.call('updateSortOrder', {}, { body: { staging: sortOrder } }),
      views: [all, ofProject, answer('getEnvironment', { params: staging }), event('environment-updated')],
    },
    {
      name: 'the copy of an environment',
      operations: ['cloneEnvironment'],
      bodies: [
        { name: 'copy-1', type: 'test', projects: [projectId] },
        { name: 'copy-2', type: 'production', projects: ['shop'] },
      ],
      write: (body) => api.call('cloneEnvironment', { name: 'development' }, { body }),
      views: [
        ...[all, ofProject],
        other('getProjectEnvironments', ['projects[]'], async ({ name }) => {
          const projects: string[] = [];
          for (const project of [projectId, 'shop', 'bank']) {
            const found = named(name)(await api.call('getProjectEnvironments', { projectId: project }));
            if (found.visible) projects.push(project);
          }
          return { projects };
        }),
        event('environment-created', { except: { 'projects[]': 'has an event of its own' } }),
        other('event project-environment-added', ['projects[]'], async () => {
          const read = event('project-environment-added', { pick: ({ project }) => project }).read;
          return { projects: [await read({})] };
        }),
      ],
      once: true,
    },
  ];
}

/** The strategy of flags that are switched on without one. */
function defaultStrategyWalks(context: WalkContext, segmentIds: readonly number[]): Walk[] {
  const { api } = context;
  const { answer, event, other } = viewsOf(context);
  const [one, two] = strategyBodies(segmentIds).map((body) => ({ ...body, segments: body.segments.toSorted() }));
  const bodies = [one, { ...two, disabled: true }];
  // Its name is always flexibleRollout. It is added last, whatever sort order is sent.
  const selects = ['name', 'sortOrder'];
  const place = { projectId: 'bank', environment: 'production' };
  let flags = 0;
  return [
    {
      name: 'a default strategy',
      operations: ['addDefaultStrategyToProjectEnvironment'],
      bodies,
      selects,
      write: (body) => api.call('addDefaultStrategyToProjectEnvironment', place, { body }),
      views: [
        answer('getProjectEnvironments', {
          ...{ params: place, at: 'environments[].defaultStrategy' },
          pick: (found) => named('production')(found).defaultStrategy,
        }),
        answer('getProjectOverview', {
          ...{ params: place, at: 'environments[].defaultStrategy' },
          pick: ({ environments }) =>
            environments.find(({ environment }: Json) => environment === 'production').defaultStrategy,
        }),
        other('a flag that is switched on', ['title', 'parameters', 'constraints[].value', 'segments[]'], async () => {
          flags += 1;
          const featureName = `by-default-${flags}`;
          await api.call('createFeature', place, { body: { name: featureName } });
          const flag = await api.call('toggleFeatureEnvironmentOn', { ...place, featureName });
          return flag.environments.find(({ name }: Json) => name === 'production').strategies[0];
        }),
        event('default-strategy-updated'),
      ],
    },
    {
      name: 'the default strategy of an added environment',
      operations: ['addEnvironmentToProject'],
      bodies: ['staging', 'copy-2'].map((name, index) => ({ environment: name, defaultStrategy: bodies[index] })),
      selects: selects.map((field) => `defaultStrategy.${field}`),
      write: (body) => api.call('addEnvironmentToProject', { projectId: 'bank' }, { body }),
      views: [
        answer('getProjectEnvironments', {
          ...{ params: place, at: 'environments[]' },
          pick: (found, { environment }) => named(environment)(found),
        }),
        other('getProjectEnvironments', ['environment'], async ({ environment }) => {
          const found = named(environment)(await api.call('getProjectEnvironments', place));
          return { environment: found.visible ? found.name : null };
        }),
        event('default-strategy-updated', {
          pick: ({ data, environment }) => ({ environment, defaultStrategy: data }),
        }),
      ],
      once: true,
    },
  ];
}
