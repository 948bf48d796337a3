import type { Event } from '@yardarm/shared/contracts/events';

/** A line for people: `**ada** triggered **feature-created** on flag **checkout** in project **default**`. */
export function eventMarkdown({ createdBy, type, featureName, project, environment }: Event): string {
  const parts = [
    `${strong(createdBy)} triggered ${strong(type)}`,
    featureName === null ? '' : `on flag ${strong(featureName)}`,
    project === null ? '' : `in project ${strong(project)}`,
    environment === null ? '' : `for environment ${strong(environment)}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** Names are a user's: what Markdown would read as formatting is escaped, a line break is a space. */
function strong(text: string): string {
  return `**${text.replace(/[\\`*_[\]<>~|#]/g, '\\$&').replace(/\s+/g, ' ')}**`;
}
