import { z } from 'zod';
import { request } from '../contract.ts';
import type { Permission } from '../permissions.ts';
import { contextFieldNameSchema, contextFieldSettings, legalValueSchema, legalValuesOf } from './context-field.ts';
import { dependencySchema } from './dependency.ts';
import { featureNameSchema, tagSchema } from './feature.ts';
import { linkTitleSchema, linkUrlSchema } from './feature-link.ts';
import { strategySchema, strategySettingsSchema, variantSchema } from './strategy.ts';
import { tagTypeSchema } from './tag-type.ts';

const description = z.string().max(10_000, 'should have at most 10000 characters').nullish();
const names = z.string().max(100, 'should have at most 100 characters');

const linkSchema = z.object({ url: linkUrlSchema, title: linkTitleSchema.optional() });

const exportedContextField = z.object({
  name: names.min(1),
  description,
  stickiness: z.boolean().optional(),
  sortOrder: z.number().int().optional(),
  legalValues: z.array(legalValueSchema).optional(),
  project: z.string().optional(),
});

/** Flags with their strategies, switches and variants in one environment, and with what these refer to. */
export const exportedSchema = z
  .object({
    features: z.array(
      z.object({
        ...{ name: z.string(), type: z.string(), description, project: z.string() },
        ...{ stale: z.boolean(), impressionData: z.boolean(), archived: z.boolean() },
      }),
    ),
    featureStrategies: z.array(strategySchema),
    featureEnvironments: z.array(
      z.object({
        ...{ name: z.string(), featureName: z.string(), environment: z.string(), enabled: z.boolean() },
        variants: z.array(variantSchema),
      }),
    ),
    contextFields: z.array(exportedContextField),
    featureTags: z.array(z.object({ featureName: z.string(), tagType: z.string(), tagValue: z.string() })),
    segments: z.array(z.object({ id: z.number().int(), name: z.string() })),
    tagTypes: z.array(tagTypeSchema),
    dependencies: z.array(z.object({ feature: z.string(), dependencies: z.array(dependencySchema) })),
    links: z.array(z.object({ feature: z.string(), links: z.array(linkSchema.extend({ id: z.string() })) })),
  })
  .meta({
    examples: [
      {
        features: [
          {
            ...{ name: 'checkout', type: 'release', description: 'The new checkout.', project: 'default' },
            ...{ stale: false, impressionData: false, archived: false },
          },
        ],
        featureStrategies: [],
        featureEnvironments: [
          {
            ...{ name: 'checkout', featureName: 'checkout', environment: 'development', enabled: true },
            variants: [],
          },
        ],
        contextFields: [],
        featureTags: [{ featureName: 'checkout', tagType: 'simple', tagValue: 'payments' }],
        segments: [],
        tagTypes: [{ name: 'simple', description: null, icon: '#', color: null }],
        dependencies: [],
        links: [],
      },
    ],
  });

export type ExportedFeatures = z.infer<typeof exportedSchema>;

export const exportFeatures = request({
  name: 'flags.feature.export',
  writes: false,
  summary: 'Flags with their state in an environment: those named, those with a tag, or those of a project',
  input: z
    .object({
      environment: names,
      /** An empty list leaves the choice to the tag or the project; without these it chooses all flags. */
      features: z.array(names.min(1)).max(50_000).optional(),
      /** The value of a tag, or its type and value with a colon between them. */
      tag: z.string().max(101).optional(),
      project: names.optional(),
      downloadFile: z.boolean().optional(),
    })
    .refine(({ features, tag, project }) => features ?? tag ?? project, 'should have features, tag or project')
    .meta({ examples: [{ environment: 'development', features: ['checkout'] }] }),
  output: exportedSchema,
  errors: ['bad-data'],
  permission: 'authenticated',
});

const tagType = tagSchema.shape.type;
const nullableText = (maximum: number) => z.string().max(maximum).nullish();

/**
 * What an import reads. It has the properties of an export; those that it does not name are ignored, except
 * `archived` of a flag, which is then left out.
 */
export const importedSchema = z.object({
  features: z.array(
    z.object({
      name: featureNameSchema,
      type: z.string().max(100).default('release'),
      description: description.transform((text) => text ?? null),
      stale: z.boolean().default(false),
      impressionData: z.boolean().nullish().transform(Boolean),
    }),
  ),
  featureStrategies: z.array(strategySettingsSchema.extend({ featureName: names })),
  featureEnvironments: z
    .array(
      z.object({
        featureName: names.optional(),
        name: names.optional(),
        enabled: z.boolean(),
        variants: z.array(variantSchema).optional(),
      }),
    )
    .default([]),
  contextFields: z
    .array(
      z.object({
        name: contextFieldNameSchema,
        /** A field of a project becomes one of the importing project. */
        project: z.string().nullish().transform(Boolean),
        description: contextFieldSettings.description,
        stickiness: contextFieldSettings.stickiness,
        sortOrder: contextFieldSettings.sortOrder,
        legalValues: legalValuesOf(legalValueSchema),
      }),
    )
    .default([]),
  featureTags: z
    .array(
      z.object({
        ...{ featureName: names, tagType: tagType.optional(), type: tagType.optional() },
        ...{ tagValue: tagSchema.shape.value.optional(), value: tagSchema.shape.value.optional() },
      }),
    )
    .default([]),
  segments: z.array(z.object({ id: z.number().int(), name: z.string().max(255) })).default([]),
  tagTypes: z
    .array(
      z.object({
        name: tagType,
        description: nullableText(10_000).transform((text) => text ?? null),
        icon: nullableText(1000).transform((text) => text ?? null),
        color: tagTypeSchema.shape.color.optional().transform((color) => color ?? null),
      }),
    )
    .default([]),
  dependencies: z.array(z.object({ feature: names, dependencies: z.array(dependencySchema) })).default([]),
  links: z.array(z.object({ feature: names, links: z.array(linkSchema) })).default([]),
});

export const importDocumentSchema = z.strictObject({ project: names, environment: names, data: importedSchema });

export type ImportDocument = z.output<typeof importDocumentSchema>;

export type ImportedFeatures = ImportDocument['data'];

/** What imports need, each according to its changes. A caller without any of them may import nothing. */
export const importPermissions = [
  ...['CREATE_FEATURE', 'UPDATE_FEATURE', 'CREATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'],
  ...['UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'UPDATE_FEATURE_DEPENDENCY'],
  ...['CREATE_CONTEXT_FIELD', 'UPDATE_PROJECT_CONTEXT', 'CREATE_TAG_TYPE'],
] as const satisfies Permission[];

/** The document names project and environment. Whether the permissions apply there is checked with its changes. */
const toImport = { permission: importPermissions, anywhere: true } as const;

/**
 * A document is sent as its JSON text, or as the id of an upload of its parts. The parts of one upload are stored until
 * they are used, so that each of them fits into a message and any replica has all of them.
 */
const sent = z.union([
  z.object({ text: z.string(), uploadId: z.undefined().optional() }),
  z.object({ uploadId: z.uuid(), text: z.undefined().optional() }),
]);

export const storeImportPart = request({
  name: 'flags.import.store-part',
  // The validation of an import needs it too.
  writes: 'in-maintenance',
  summary: 'Stores one part of a document that is too large for a message',
  input: z.object({ uploadId: z.uuid(), part: z.number().int().min(0).max(1000), text: z.string() }),
  output: z.object({}),
  permission: 'authenticated',
});

export const discardImportParts = request({
  name: 'flags.import.discard-parts',
  writes: 'in-maintenance',
  summary: 'Deletes the stored parts of a document that is not sent to its end',
  input: z.object({ uploadId: z.uuid() }),
  output: z.object({}),
  permission: 'authenticated',
});

const problemSchema = z.object({ message: z.string(), affectedItems: z.array(z.string()) });

export type ImportProblem = z.infer<typeof problemSchema>;

export const importProblemsSchema = z
  .object({ errors: z.array(problemSchema), warnings: z.array(problemSchema), permissions: z.array(problemSchema) })
  .meta({
    examples: [
      {
        errors: [{ message: 'These segments do not exist:', affectedItems: ['beta-users'] }],
        ...{ warnings: [], permissions: [] },
      },
    ],
  });

export type ImportProblems = z.infer<typeof importProblemsSchema>;

export const validateImport = request({
  name: 'flags.import.validate',
  writes: false,
  summary: 'Every problem that an import would have, also that the caller may not do it; it writes nothing',
  input: z.object({ document: sent }),
  output: importProblemsSchema,
  errors: ['validation', 'not-found', 'bad-data'],
  permission: 'authenticated',
});

export const importFeatures = request({
  name: 'flags.import.run',
  writes: true,
  summary: 'Imports flags into an environment of a project, all or none; needs the permissions of its changes',
  input: z.object({ document: sent }),
  output: z.object({}),
  errors: ['validation', 'not-found', 'bad-data', 'limit-exceeded', 'name-exists', 'no-access'],
  ...toImport,
});
