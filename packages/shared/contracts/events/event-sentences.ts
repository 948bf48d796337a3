/**
 * The label of an event type, and the sentence that describes an event. event-text.ts replaces `{flag}` and other slots
 * by names from the event. A part in brackets is left out when one of its names is missing. A missing name outside of
 * brackets becomes "?". The author is put before the sentence. The words are those of the public product where it has
 * any.
 */
export interface EventSentence {
  readonly label: string;
  readonly sentence: string;
}

const text = (label: string, sentence: string): EventSentence => ({ label, sentence });

const inProject = '[ in project {project}]';
const inEnvironment = '[ for the {environment} environment]';
const request = `change request[ {changeRequest}]${inEnvironment}${inProject}`;

const created = (what: string) => text(`${capitalize(what)} created`, `created ${what}[ {subject}]`);
const updated = (what: string) => text(`${capitalize(what)} updated`, `updated ${what}[ {subject}]`);
const deleted = (what: string) => text(`${capitalize(what)} deleted`, `deleted ${what}[ {subject}]`);
const imported = (what: string) => text(`${capitalize(what)} imported`, `imported ${what}[ {subject}]`);
const dropped = (what: string) => text(`All ${what} dropped`, `dropped all ${what} before an import`);

/** Every event type. event-types.ts and the other tables have the same keys in this order. */
export const eventSentences = {
  'application-created': created('application'),
  'feature-created': text('Flag created', `created {flag}${inProject}`),
  'feature-deleted': text('Flag deleted', `deleted {flag}${inProject}`),
  'feature-updated': text('Flag updated', `updated {flag}${inProject}`),
  'feature-metadata-updated': text('Flag metadata updated', `updated {flag} metadata${inProject}`),
  'feature-variants-updated': text('Flag variants updated', `updated the variants of {flag}${inProject}`),
  'feature-environment-variants-updated': text(
    'Flag variants updated',
    `updated the variants of {flag}${inEnvironment}${inProject}`,
  ),
  'feature-project-change': text(
    'Flag moved to a new project',
    'moved {flag}[ from project {oldProject}][ to project {newProject}]',
  ),
  'feature-archived': text('Flag archived', `archived {flag}${inProject}`),
  'feature-revived': text('Flag revived', `revived {flag}${inProject}`),
  'feature-import': text('Flag imported', `imported {flag}${inProject}`),
  'feature-tagged': text('Flag tagged', `tagged {flag}[ with {tag}]${inProject}`),
  'feature-tag-import': text('Flag tag imported', `imported the tag[ {tag}] of {flag}${inProject}`),
  'feature-strategy-update': text(
    'Flag strategy updated',
    `updated the strategy[ {strategy}] of {flag}${inEnvironment}${inProject}`,
  ),
  'feature-strategy-add': text(
    'Flag strategy added',
    `added strategy[ {strategy}] to {flag}${inEnvironment}${inProject}`,
  ),
  'feature-strategy-remove': text(
    'Flag strategy removed',
    `removed strategy[ {strategy}] from {flag}${inEnvironment}${inProject}`,
  ),
  'feature-type-updated': text('Flag type updated', 'updated the flag type[ {subject}]'),
  'feature-completed': text('Flag completed', `marked {flag} as completed${inProject}`),
  'feature-uncompleted': text('Flag not completed', `marked {flag} as not completed${inProject}`),
  'strategy-order-changed': text(
    'Flag strategies reordered',
    `changed the order of the strategies of {flag}${inEnvironment}${inProject}`,
  ),
  'drop-feature-tags': dropped('flag tags'),
  'feature-untagged': text('Flag untagged', `untagged {flag}[ with {tag}]${inProject}`),
  'feature-stale-on': text('Flag marked as stale', `marked {flag} as stale${inProject}`),
  'feature-stale-off': text('Flag stale marking removed', `removed the stale marking on {flag}${inProject}`),
  'drop-features': dropped('flags'),
  'feature-environment-enabled': text('Flag enabled', `enabled {flag}${inEnvironment}${inProject}`),
  'feature-environment-disabled': text('Flag disabled', `disabled {flag}${inEnvironment}${inProject}`),
  'strategy-created': created('strategy type'),
  'strategy-deleted': deleted('strategy type'),
  'strategy-deprecated': text('Strategy type deprecated', 'deprecated strategy type[ {subject}]'),
  'strategy-reactivated': text('Strategy type reactivated', 'reactivated strategy type[ {subject}]'),
  'strategy-updated': updated('strategy type'),
  'strategy-import': imported('strategy type'),
  'drop-strategies': dropped('strategy types'),
  'context-field-created': created('context field'),
  'context-field-updated': updated('context field'),
  'context-field-deleted': deleted('context field'),
  'project-access-added': text('Project access added', `gave access[ to project {project}]`),
  'project-access-user-roles-updated': text(
    'Project access of a user updated',
    `changed the roles of user[ {userId}]${inProject}`,
  ),
  'project-access-group-roles-updated': text(
    'Project access of a group updated',
    `changed the roles of group[ {groupId}]${inProject}`,
  ),
  'project-access-user-roles-deleted': text(
    'Project access of a user removed',
    `removed the roles of user[ {userId}]${inProject}`,
  ),
  'project-access-group-roles-deleted': text(
    'Project access of a group removed',
    `removed the roles of group[ {groupId}]${inProject}`,
  ),
  'project-access-updated': text('Project access updated', `updated access[ to project {project}]`),
  'project-created': text('Project created', 'created project {project}'),
  'project-updated': text('Project updated', 'updated project {project}'),
  'project-deleted': text('Project deleted', 'deleted project {project}'),
  'project-archived': text('Project archived', 'archived project {project}'),
  'project-revived': text('Project revived', 'revived project {project}'),
  'project-import': text('Project imported', 'imported project {project}'),
  'project-user-added': text('Project user added', 'added user[ {user}][ as {role}][ to project {project}]'),
  'project-user-removed': text('Project user removed', 'removed user[ {user}][ from project {project}]'),
  'project-user-role-changed': text(
    'Project user role changed',
    `changed the role of user[ {user}][ to {role}]${inProject}`,
  ),
  'project-group-role-changed': text(
    'Project group role changed',
    `changed the role of group[ {groupId}][ to {role}]${inProject}`,
  ),
  'project-group-added': text('Project group added', 'added group[ {groupId}][ as {role}][ to project {project}]'),
  'project-group-removed': text('Project group removed', 'removed group[ {groupId}][ from project {project}]'),
  'role-created': created('role'),
  'role-updated': updated('role'),
  'role-deleted': deleted('role'),
  'drop-projects': dropped('projects'),
  'tag-created': text('Tag created', 'created tag[ {tag}]'),
  'tag-deleted': text('Tag deleted', 'deleted tag[ {tag}]'),
  'tag-import': text('Tag imported', 'imported tag[ {tag}]'),
  'drop-tags': dropped('tags'),
  'tag-type-created': created('tag type'),
  'tag-type-deleted': deleted('tag type'),
  'tag-type-updated': updated('tag type'),
  'tag-type-import': imported('tag type'),
  'drop-tag-types': dropped('tag types'),
  'addon-config-created': text('Integration configuration created', 'created {provider} integration configuration'),
  'addon-config-updated': text('Integration configuration updated', 'updated {provider} integration configuration'),
  'addon-config-deleted': text('Integration configuration deleted', 'deleted {provider} integration configuration'),
  'db-pool-update': text('Database pool updated', 'updated the database pool'),
  'user-created': created('user'),
  'user-updated': updated('user'),
  'user-deleted': deleted('user'),
  'drop-environments': dropped('environments'),
  'environment-import': imported('environment'),
  'environment-created': created('environment'),
  'environment-updated': updated('environment'),
  'environment-deleted': deleted('environment'),
  'segment-created': created('segment'),
  'segment-updated': updated('segment'),
  'segment-deleted': deleted('segment'),
  'group-created': created('group'),
  'group-updated': updated('group'),
  'group-deleted': deleted('group'),
  'group-user-added': text('Group user added', 'added user[ {userId}][ to group {groupId}]'),
  'group-user-removed': text('Group user removed', 'removed user[ {userId}][ from group {groupId}]'),
  'setting-created': created('setting'),
  'setting-updated': updated('setting'),
  'setting-deleted': deleted('setting'),
  'client-metrics': text('Client metrics', 'received metrics[ of application {application}]'),
  'client-register': text('Client registered', 'registered an SDK[ of application {application}]'),
  'pat-created': text('Personal access token created', 'created personal access token[ {subject}]'),
  'pat-deleted': text('Personal access token deleted', 'deleted personal access token[ {subject}]'),
  'public-signup-token-created': text('Public signup token created', 'created public signup token[ {subject}]'),
  'public-signup-token-user-added': text('Public signup token used', 'added user[ {userId}] by a public signup token'),
  'public-signup-token-updated': text('Public signup token updated', 'updated public signup token[ {subject}]'),
  'change-request-created': text('Change request created', `created ${request}`),
  'change-request-discarded': text('Change request discarded', `discarded ${request}`),
  'change-added': text('Change added', `added a change[ of {flag}] to ${request}`),
  'change-discarded': text('Change discarded', `discarded a change[ of {flag}] in ${request}`),
  'change-edited': text('Change edited', `edited a change[ of {flag}] in ${request}`),
  'change-request-rejected': text('Change request rejected', `rejected ${request}`),
  'change-request-approved': text('Change request approved', `approved ${request}`),
  'change-request-approval-added': text('Change request approval added', `added an approval to ${request}`),
  'change-request-cancelled': text('Change request cancelled', `cancelled ${request}`),
  'change-request-sent-to-review': text('Change request sent to review', `sent ${request} to review`),
  'change-request-schedule-suspended': text(
    'Change request schedule suspended',
    `suspended the schedule of ${request}`,
  ),
  'change-request-applied': text('Change request applied', `applied ${request}`),
  'change-request-scheduled': text('Change request scheduled', `scheduled ${request}`),
  'change-request-scheduled-application-success': text(
    'Scheduled change request applied',
    `applied the scheduled ${request}`,
  ),
  'change-request-scheduled-application-failure': text(
    'Scheduled change request failed',
    `failed to apply the scheduled ${request}`,
  ),
  'change-request-configuration-updated': text(
    'Change request configuration updated',
    `updated the configuration of change requests${inEnvironment}${inProject}`,
  ),
  'api-token-created': text('API token created', `created API token[ {subject}]${inEnvironment}${inProject}`),
  'api-token-updated': text('API token updated', `updated API token[ {subject}]${inEnvironment}${inProject}`),
  'api-token-deleted': text('API token deleted', `deleted API token[ {subject}]${inEnvironment}${inProject}`),
  'feature-favorited': text('Flag favorited', `made {flag} a favorite${inProject}`),
  'feature-unfavorited': text('Flag unfavorited', `made {flag} a favorite no more${inProject}`),
  'project-favorited': text('Project favorited', 'made project {project} a favorite'),
  'project-unfavorited': text('Project unfavorited', 'made project {project} a favorite no more'),
  'features-exported': text('Flags exported', `exported[ {count}] flags${inEnvironment}${inProject}`),
  'features-imported': text('Flags imported', `imported[ {count}] flags${inEnvironment}${inProject}`),
  'service-account-created': created('service account'),
  'service-account-deleted': deleted('service account'),
  'service-account-updated': updated('service account'),
  'feature-potentially-stale-on': text('Flag potentially stale', `marked {flag} as potentially stale${inProject}`),
  'feature-dependency-added': text('Flag dependency added', `added a dependency[ on {parent}] to {flag}${inProject}`),
  'feature-dependency-removed': text(
    'Flag dependency removed',
    `removed the dependency[ on {parent}] from {flag}${inProject}`,
  ),
  'feature-dependencies-removed': text('Flag dependencies removed', `removed all dependencies from {flag}${inProject}`),
  'banner-created': created('banner'),
  'banner-updated': updated('banner'),
  'banner-deleted': deleted('banner'),
  'project-environment-added': text(
    'Project environment added',
    'added environment {environment}[ to project {project}]',
  ),
  'project-environment-removed': text(
    'Project environment removed',
    'removed environment {environment}[ from project {project}]',
  ),
  'default-strategy-updated': text(
    'Default strategy updated',
    `updated the default strategy${inEnvironment}${inProject}`,
  ),
  'segment-import': imported('segment'),
  'signal-endpoint-created': created('signal endpoint'),
  'signal-endpoint-updated': updated('signal endpoint'),
  'signal-endpoint-deleted': deleted('signal endpoint'),
  'signal-endpoint-token-created': created('signal endpoint token'),
  'signal-endpoint-token-updated': updated('signal endpoint token'),
  'signal-endpoint-token-deleted': deleted('signal endpoint token'),
  'actions-created': created('action set'),
  'actions-updated': updated('action set'),
  'actions-deleted': deleted('action set'),
} satisfies Record<string, EventSentence>;

function capitalize(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A closed list. A type of the log is never removed. */
export type EventType = keyof typeof eventSentences;

export const eventTypes = Object.keys(eventSentences) as [EventType, ...EventType[]];

const ofPeople =
  /^(user|role|group|service-account|pat|api-token|public-signup-token|setting|project-(access|user|group))-/;

/** Event types of users, roles and tokens. They contain e-mails and permissions, which not every user may see. */
export const eventTypesOfPeople: readonly EventType[] = eventTypes.filter((type) => ofPeople.test(type));

/**
 * Types that nothing emits, and what is emitted instead. Integrations name them, because the public product offers
 * them: such an integration gets the other type.
 */
export const eventAliases: ReadonlyMap<string, EventType> = new Map([
  ['feature-updated', 'feature-metadata-updated'],
  ['feature-variants-updated', 'feature-environment-variants-updated'],
]);
