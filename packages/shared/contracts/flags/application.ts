import { z } from 'zod';
import { request } from '../contract.ts';
import { isRunnableUrl } from './feature-link.ts';
import { strategyTypeSchema } from './strategy-type.ts';

const timestamp = z.iso.datetime();
const count = z.number().int().min(0);
const total = count.meta({ examples: [1] });
const name = z.string().min(1, 'should not be empty').max(255, 'should have at most 255 characters');
const example = { environment: 'production', sdk: 'unleash-client-node:6.12.1' };

/** An application that uses SDKs, as it registered, and what administrators say of it. */
export const applicationSchema = z
  .object({
    appName: z.string(),
    /** The one that it has used last for the first time. */
    sdkVersion: z.string().optional(),
    strategies: z.array(z.string()).max(100),
    description: z.string().optional(),
    url: z.string().optional(),
    color: z.string().optional(),
    icon: z.string().optional(),
    /** Where it evaluated flags: the first projects by name. */
    usage: z.array(z.object({ project: z.string(), environments: z.array(z.string()).max(1000) })).max(100),
  })
  .meta({
    examples: [
      {
        ...{ appName: 'shop', sdkVersion: example.sdk, strategies: ['default', 'flexibleRollout'], color: 'red' },
        ...{ description: 'Sells things.', url: 'https://example.com/shop', icon: 'https://example.com/shop.ico' },
        usage: [{ project: 'default', environments: [example.environment] }],
      },
    ],
  });

export type Application = z.infer<typeof applicationSchema>;

const strategyExample = { name: 'byRegion', notFound: true } as const;

/** One application with what it uses. Lists have the first 1000, so that no answer grows without bound. */
export const applicationDetailSchema = applicationSchema
  .extend({
    createdAt: timestamp,
    description: z.string().nullable(),
    url: z.string().nullable(),
    color: z.string().nullable(),
    icon: z.string().nullable(),
    /** The types of its strategies, as it knows them. */
    strategies: z
      .array(z.union([strategyTypeSchema, z.object({ name: z.string(), notFound: z.literal(true) })]))
      .max(100),
    /** Those that reported in the last 24 hours, the latest first. */
    instances: z
      .array(
        z.object({
          appName: z.string(),
          environment: z.string(),
          instanceId: z.string(),
          sdkVersion: z.string().nullable(),
          sdkType: z.string().nullable(),
          clientIp: z.string().nullable(),
          lastSeen: timestamp,
          /** When it reported for the first time. */
          createdAt: timestamp,
        }),
      )
      .max(1000),
    /** The flags that it evaluated, by name. */
    seenToggles: z
      .array(
        z.object({
          ...{ name: z.string(), project: z.string(), type: z.string(), description: z.string().nullable() },
          ...{ stale: z.boolean(), impressionData: z.boolean(), archived: z.boolean(), createdAt: timestamp },
        }),
      )
      .max(1000),
    links: z.object({ self: z.string() }),
  })
  .meta({
    examples: [
      {
        ...{ appName: 'shop', createdAt: '2026-01-31T12:00:00.000Z', sdkVersion: example.sdk, color: 'red' },
        ...{ description: 'Sells things.', url: 'https://example.com/shop', icon: null, strategies: [strategyExample] },
        usage: [{ project: 'default', environments: [example.environment] }],
        instances: [
          {
            ...{ appName: 'shop', environment: example.environment, instanceId: 'shop-1', sdkVersion: example.sdk },
            ...{ sdkType: 'backend', clientIp: '192.0.2.1', lastSeen: '2026-01-31T12:00:00.000Z' },
            createdAt: '2026-01-30T12:00:00.000Z',
          },
        ],
        seenToggles: [
          {
            ...{ name: 'checkout', project: 'default', type: 'release', description: null, stale: false },
            ...{ impressionData: false, archived: false, createdAt: '2026-01-31T12:00:00.000Z' },
          },
        ],
        links: { self: '/api/applications/shop' },
      },
    ],
  });

export type ApplicationDetail = z.infer<typeof applicationDetailSchema>;

const pageOf = (limit: number) => ({
  /** Finds the applications whose name contains this text. */
  query: z.string().max(255, 'should have at most 255 characters').default(''),
  offset: z.number().int().min(0).default(0),
  limit: z.number().int().min(1).max(1000).default(limit),
  /** Applications have no other order than that of their names. */
  sortBy: z.string().max(100, 'should have at most 100 characters').optional(),
  sortOrder: z.enum(['asc', 'desc']).default('asc'),
});

export const listApplications = request({
  name: 'flags.application.list',
  writes: false,
  summary: 'A page of the applications that use SDKs, by name',
  input: z.object(pageOf(1000)),
  output: z.object({ total, applications: z.array(applicationSchema) }),
  permission: 'authenticated',
});

/** FOR ONE RELEASE: gateways of the release before ask for it. */
export const getApplication = request({
  name: 'flags.application.get',
  writes: false,
  summary: 'One application as it is listed',
  input: z.object({ appName: z.string() }),
  output: applicationSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const getApplicationDetail = request({
  name: 'flags.application.get-detail',
  writes: false,
  summary: 'One application, with its strategies, instances and the flags that it evaluated',
  input: z.object({ appName: z.string() }),
  output: applicationDetailSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

const text = (maximum: number) => z.string().max(maximum, `should have at most ${maximum} characters`).optional();

const address = text(2000).refine((url = '') => !isRunnableUrl(url), 'should be an address that runs no code');

export const describeApplication = request({
  name: 'flags.application.describe',
  writes: true,
  summary: 'Says what an application is, and makes it if there is none; a property that is not sent stays',
  input: z
    .object({
      appName: name,
      strategies: z.array(z.string().max(100)).max(100, 'should have at most 100 items').optional(),
      description: text(1000),
      url: address,
      color: text(100),
      icon: address,
    })
    .meta({ examples: [{ url: 'https://example.com/shop', color: 'red', description: 'Sells things.' }] }),
  output: z.object({}),
  errors: ['limit-exceeded'],
  permission: 'UPDATE_APPLICATION',
});

export const deleteApplication = request({
  name: 'flags.application.delete',
  writes: true,
  summary: 'Deletes an application, if there is one; it is made again when it reports',
  input: z.object({ appName: z.string() }),
  output: z.object({}),
  permission: 'UPDATE_APPLICATION',
});

const names = z.array(z.string());

const applicationEnvironmentSchema = z.object({
  name: z.string(),
  instanceCount: count,
  sdks: names,
  frontendSdks: names,
  backendSdks: names,
  lastSeen: timestamp.nullable(),
  issues: z.object({ missingFeatures: names, outdatedSdks: names }),
});

export type ApplicationEnvironment = z.infer<typeof applicationEnvironmentSchema>;

export const getApplicationOverview = request({
  name: 'flags.application.overview',
  writes: false,
  summary: 'Where an application uses how many flags with which SDKs, and what may be wrong with it',
  input: z.object({ appName: z.string() }),
  output: z
    .object({
      projects: names,
      featureCount: count,
      environments: z.array(applicationEnvironmentSchema),
      /** Strategies that it knows and that are not defined here. */
      issues: z.object({ missingStrategies: names }),
    })
    .meta({
      examples: [
        {
          ...{ projects: ['default'], featureCount: 5, issues: { missingStrategies: ['byRegion'] } },
          environments: [
            {
              ...{ name: example.environment, instanceCount: 3, sdks: [example.sdk], frontendSdks: [] },
              ...{ backendSdks: [example.sdk], lastSeen: '2026-01-31T12:00:00.000Z' },
              issues: { missingFeatures: ['new-chekcout'], outdatedSdks: [] },
            },
          ],
        },
      ],
    }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const listApplicationInstances = request({
  name: 'flags.application.list-instances',
  writes: false,
  summary: 'The instances of an application in an environment that reported in the last 24 hours, at most 1000',
  input: z.object({ appName: z.string(), environment: z.string() }),
  output: z.object({
    instances: z
      .array(
        z.object({
          instanceId: z.string(),
          sdkVersion: z.string().nullable(),
          clientIp: z.string().nullable(),
          lastSeen: timestamp,
        }),
      )
      .meta({
        examples: [
          [
            {
              ...{ instanceId: 'shop-1', sdkVersion: example.sdk, clientIp: '192.0.2.1' },
              lastSeen: '2026-01-31T12:00:00.000Z',
            },
          ],
        ],
      }),
  }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const projectApplicationSchema = z
  .object({
    name: z.string(),
    environments: names,
    instances: names,
    sdks: z.array(z.object({ name: z.string(), versions: names })),
  })
  .meta({
    examples: [
      {
        ...{ name: 'shop', environments: [example.environment], instances: ['shop-1'] },
        sdks: [{ name: 'unleash-client-node', versions: ['6.12.1'] }],
      },
    ],
  });

export type ProjectApplication = z.infer<typeof projectApplicationSchema>;

export const listProjectApplications = request({
  name: 'flags.application.list-of-project',
  writes: false,
  summary:
    'A page of the applications that evaluated flags of a project, by name, with their instances of the last day',
  input: z.object({ projectId: z.string(), ...pageOf(50) }),
  output: z.object({ total, applications: z.array(projectApplicationSchema) }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const listOutdatedSdks = request({
  name: 'flags.application.list-outdated-sdks',
  writes: false,
  summary:
    'The SDK versions in use of which some application uses a later major version, with their applications; of one project if it is named',
  input: z.object({ projectId: z.string().optional() }),
  output: z.object({
    sdks: z.array(z.object({ sdkVersion: z.string(), applications: names })).meta({
      examples: [[{ sdkVersion: 'unleash-client-node:4.0.0', applications: ['shop'] }]],
    }),
  }),
  errors: ['not-found'],
  permission: 'authenticated',
});
