import type { Event } from '@yardarm/shared/contracts/events';
import { expect, it } from 'vitest';
import { eventMarkdown } from './event-markdown.ts';

const event: Event = {
  id: 1,
  createdAt: '2026-03-01T12:00:00.000Z',
  type: 'feature-environment-enabled',
  createdBy: 'ada',
  createdByUserId: 1,
  environment: 'production',
  project: 'default',
  featureName: 'checkout',
  data: null,
  preData: null,
  tags: [],
};

it('says who did what, where', () => {
  expect(eventMarkdown(event)).toBe(
    '**ada** triggered **feature-environment-enabled** on flag **checkout** in project **default** for environment **production**',
  );
  expect(eventMarkdown({ ...event, featureName: null, project: null, environment: null })).toBe(
    '**ada** triggered **feature-environment-enabled**',
  );
});

it('escapes what a hostile name would format, link or break', () => {
  expect(
    eventMarkdown({ ...event, createdBy: '**x** [a](b)\n<c>', featureName: null, project: null, environment: null }),
  ).toContain('**\\*\\*x\\*\\* \\[a\\](b) \\<c\\>**');
});
