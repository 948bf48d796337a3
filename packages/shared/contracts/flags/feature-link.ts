import { z } from 'zod';
import { request } from '../contract.ts';

/** Consoles show addresses as links, and a browser would run the code of these. */
const runnable = ['javascript:', 'data:', 'vbscript:'];
export const isRunnableUrl = (url: string) => URL.canParse(url) && runnable.includes(new URL(url).protocol);

export const linkUrlSchema = z
  .string()
  .max(2000, 'should have at most 2000 characters')
  .refine((url) => URL.canParse(url) && !isRunnableUrl(url), 'should be an absolute URL');

export const linkTitleSchema = z.string().max(255, 'should have at most 255 characters').nullable();

export const featureLinkSchema = z.object({
  id: z.string(),
  url: z.string(),
  title: z.string().nullable(),
  feature: z.string(),
});

const examples = [{ url: 'https://example.com/designs/checkout', title: 'Design' }];

export const createFeatureLink = request({
  name: 'flags.feature-link.create',
  writes: true,
  summary: 'Adds a link to a flag',
  input: z
    .object({ projectId: z.string(), featureName: z.string(), url: linkUrlSchema, title: linkTitleSchema.optional() })
    .meta({ examples }),
  output: z.object({}),
  errors: ['not-found', 'limit-exceeded'],
  permission: 'UPDATE_FEATURE',
});

export const updateFeatureLink = request({
  name: 'flags.feature-link.update',
  writes: true,
  summary: 'Changes a link of a flag; without a title the link keeps its own',
  input: z
    .object({
      ...{ projectId: z.string(), featureName: z.string(), linkId: z.string() },
      ...{ url: linkUrlSchema, title: linkTitleSchema.optional() },
    })
    .meta({ examples }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'UPDATE_FEATURE',
});

export const deleteFeatureLink = request({
  name: 'flags.feature-link.delete',
  writes: true,
  summary: 'Removes a link from a flag',
  input: z.object({ projectId: z.string(), featureName: z.string(), linkId: z.string() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'UPDATE_FEATURE',
});
