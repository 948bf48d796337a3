import { z } from 'zod';
import { request } from '../contract.ts';
import { timestamp } from './fields.ts';
import { problemOfMarkdown } from './markdown.ts';

/** Every page of a console asks for all banners. Nobody reads more than a few, and these have 0.3 MB at most. */
export const maxBanners = 25;

const short = 'should have at most 255 characters';

function markdown(maxLength: number) {
  return z
    .string()
    .max(maxLength, `should have at most ${maxLength} characters`)
    .check((context) => {
      const message = problemOfMarkdown(context.value);
      if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value });
    });
}

/** A slash that is alone leads to this host. Two of them, and what a browser makes two of, lead to another one. */
const ownPath = /^\/(?![/\\])[^\s\\]*$/;

function isLink(link: string): boolean {
  if (link === '' || link === 'dialog' || ownPath.test(link)) return true;
  return /^https:\/\/[^\s\\]+$/i.test(link) && URL.canParse(link);
}

const example = {
  message: '**Reminder**: maintenance is scheduled for *2026-12-27*.',
  enabled: true,
  variant: 'warning' as const,
  sticky: false,
  icon: 'build',
  link: 'dialog',
  linkText: 'More about it',
  dialogTitle: 'Maintenance',
  dialog: 'Flags are **read only** from [six to seven](https://example.com/maintenance).',
};

const variants = ['info', 'warning', 'error', 'success'] as const;

/** Consoles show the message and the dialog as Markdown. An empty text is as null, because their forms send it. */
export const bannerSchema = z
  .object({
    id: z.number().int().min(1),
    message: z.string(),
    enabled: z.boolean(),
    variant: z.enum(variants),
    /** Stays on the screen when the page is scrolled. */
    sticky: z.boolean(),
    /** The name of an icon of Material; null for that of the variant, `none` for no icon. */
    icon: z.string().nullable(),
    /** An address, or `dialog` for the dialog. */
    link: z.string().nullable(),
    linkText: z.string().nullable(),
    dialogTitle: z.string().nullable(),
    dialog: z.string().nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'bannerSchema', examples: [{ id: 7, ...example, createdAt: '2026-01-31T12:00:00.000Z' }] });

export type Banner = z.infer<typeof bannerSchema>;

const definition = {
  // A message is a line or two, and a dialog a page. A console shows longer ones badly.
  message: markdown(1_000).refine((text) => text.trim() !== '', 'should not be empty'),
  enabled: z.boolean().default(true),
  variant: z.enum(variants, `should be one of ${variants.join(', ')}`).default('info'),
  sticky: z.boolean().default(false),
  icon: z
    .string()
    .regex(/^[a-z0-9_]{0,50}$/, 'should be the name of an icon: at most 50 small letters, digits and _')
    .nullable()
    .default(null),
  // As long as the links of flags.
  link: z
    .string()
    .max(2_000, 'should have at most 2000 characters')
    .refine(isLink, 'should be "dialog", or begin with https:// or one slash and have no blanks')
    .nullable()
    .default(null),
  linkText: z.string().max(255, short).nullable().default(null),
  dialogTitle: z.string().max(255, short).nullable().default(null),
  dialog: markdown(10_000).nullable().default(null),
};

const id = z.number().int();

export const listBanners = request({
  name: 'accounts.banner.list',
  writes: false,
  summary: 'Every banner of consoles, also those that are off',
  input: z.object({}),
  output: z.object({ banners: z.array(bannerSchema).max(maxBanners) }),
  permission: 'authenticated',
});

export const createBanner = request({
  name: 'accounts.banner.create',
  writes: true,
  summary: 'Makes a banner, which consoles show to all users',
  input: z.object(definition).meta({ examples: [example] }),
  output: bannerSchema,
  errors: ['limit-exceeded'],
  permission: 'UPDATE_INSTANCE_BANNERS',
});

export const updateBanner = request({
  name: 'accounts.banner.update',
  writes: true,
  summary: 'Replaces a banner; what is not sent gets the value of a new banner',
  input: z.object({ id, ...definition }).meta({ examples: [{ id: 7, ...example }] }),
  output: bannerSchema,
  errors: ['not-found'],
  permission: 'UPDATE_INSTANCE_BANNERS',
});

export const switchBanner = request({
  name: 'accounts.banner.switch',
  writes: true,
  summary: 'Switches a banner on or off; consoles show no banner that is off',
  input: z.object({ id, enabled: z.boolean() }),
  output: bannerSchema,
  errors: ['not-found'],
  permission: 'UPDATE_INSTANCE_BANNERS',
});

export const deleteBanner = request({
  name: 'accounts.banner.delete',
  writes: true,
  summary: 'Deletes a banner',
  input: z.object({ id }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'UPDATE_INSTANCE_BANNERS',
});
