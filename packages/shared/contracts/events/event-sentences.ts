import type { EventType } from './event-types.ts';

/**
 * What an event type is called, and what its event says. In a sentence `{flag}` and the like are names that event-text.ts finds in the
 * event; a part in brackets is left out when one of its names is not there, and a name outside of them is then "?".
 * The author stands before the sentence, and the same words as in the public product's where it has any.
 */
export interface EventSentence {
  readonly label: string;
  readonly sentence: string;
}

const says = (label: string, sentence: string): EventSentence => ({ label, sentence });

const inProject = '[ in project {project}]';
const inEnvironment = '[ for the {environment} environment]';
const request = `change request[ {changeRequest}]${inEnvironment}${inProject}`;

const made = (what: string) => says(`${capital(what)} created`, `created ${what}[ {subject}]`);
const changed = (what: string) => says(`${capital(what)} updated`, `updated ${what}[ {subject}]`);
const removed = (what: string) => says(`${capital(what)} deleted`, `deleted ${what}[ {subject}]`);
const brought = (what: string) => says(`${capital(what)} imported`, `imported ${what}[ {subject}]`);
const dropped = (what: string) => says(`All ${what} dropped`, `dropped all ${what} before an import`);

/** The text of every event type. */
export const eventSentences: Readonly<Record<EventType, EventSentence>> = {
  'application-created': made('application'),
  'feature-created': says('Flag created', `created {flag}${inProject}`),
  'feature-deleted': says('Flag deleted', `deleted {flag}${inProject}`),
  'feature-updated': says('Flag updated', `updated {flag}${inProject}`),
  'feature-metadata-updated': says('Flag metadata updated', `updated {flag} metadata${inProject}`),
  'feature-variants-updated': says('Flag variants updated', `updated the variants of {flag}${inProject}`),
  'feature-environment-variants-updated': says(
    'Flag variants updated',
    `updated the variants of {flag}${inEnvironment}${inProject}`,
  ),
  'feature-project-change': says(
    'Flag moved to a new project',
    'moved {flag}[ from project {oldProject}][ to project {newProject}]',
  ),
  'feature-archived': says('Flag archived', `archived {flag}${inProject}`),
  'feature-revived': says('Flag revived', `revived {flag}${inProject}`),
  'feature-import': says('Flag imported', `imported {flag}${inProject}`),
  'feature-tagged': says('Flag tagged', `tagged {flag}[ with {tag}]${inProject}`),
  'feature-tag-import': says('Flag tag imported', `imported the tag[ {tag}] of {flag}${inProject}`),
  'feature-strategy-update': says(
    'Flag strategy updated',
    `updated the strategy[ {strategy}] of {flag}${inEnvironment}${inProject}`,
  ),
  'feature-strategy-add': says(
    'Flag strategy added',
    `added strategy[ {strategy}] to {flag}${inEnvironment}${inProject}`,
  ),
  'feature-strategy-remove': says(
    'Flag strategy removed',
    `removed strategy[ {strategy}] from {flag}${inEnvironment}${inProject}`,
  ),
  'feature-type-updated': says('Flag type updated', 'updated the flag type[ {subject}]'),
  'feature-completed': says('Flag completed', `marked {flag} as completed${inProject}`),
  'feature-uncompleted': says('Flag not completed', `marked {flag} as not completed${inProject}`),
  'strategy-order-changed': says(
    'Flag strategies reordered',
    `changed the order of the strategies of {flag}${inEnvironment}${inProject}`,
  ),
  'drop-feature-tags': dropped('flag tags'),
  'feature-untagged': says('Flag untagged', `untagged {flag}[ with {tag}]${inProject}`),
  'feature-stale-on': says('Flag marked as stale', `marked {flag} as stale${inProject}`),
  'feature-stale-off': says('Flag stale marking removed', `removed the stale marking on {flag}${inProject}`),
  'drop-features': dropped('flags'),
  'feature-environment-enabled': says('Flag enabled', `enabled {flag}${inEnvironment}${inProject}`),
  'feature-environment-disabled': says('Flag disabled', `disabled {flag}${inEnvironment}${inProject}`),
  'strategy-created': made('strategy type'),
  'strategy-deleted': removed('strategy type'),
  'strategy-deprecated': says('Strategy type deprecated', 'deprecated strategy type[ {subject}]'),
  'strategy-reactivated': says('Strategy type reactivated', 'reactivated strategy type[ {subject}]'),
  'strategy-updated': changed('strategy type'),
  'strategy-import': brought('strategy type'),
  'drop-strategies': dropped('strategy types'),
  'context-field-created': made('context field'),
  'context-field-updated': changed('context field'),
  'context-field-deleted': removed('context field'),
  'project-access-added': says('Project access added', `gave access[ to project {project}]`),
  'project-access-user-roles-updated': says(
    'Project access of a user updated',
    `changed the roles of user[ {userId}]${inProject}`,
  ),
  'project-access-group-roles-updated': says(
    'Project access of a group updated',
    `changed the roles of group[ {groupId}]${inProject}`,
  ),
  'project-access-user-roles-deleted': says(
    'Project access of a user removed',
    `removed the roles of user[ {userId}]${inProject}`,
  ),
  'project-access-group-roles-deleted': says(
    'Project access of a group removed',
    `removed the roles of group[ {groupId}]${inProject}`,
  ),
  'project-access-updated': says('Project access updated', `updated access[ to project {project}]`),
  'project-created': says('Project created', 'created project {project}'),
  'project-updated': says('Project updated', 'updated project {project}'),
  'project-deleted': says('Project deleted', 'deleted project {project}'),
  'project-archived': says('Project archived', 'archived project {project}'),
  'project-revived': says('Project revived', 'revived project {project}'),
  'project-import': says('Project imported', 'imported project {project}'),
  'project-user-added': says('Project user added', 'added user[ {user}][ as {role}][ to project {project}]'),
  'project-user-removed': says('Project user removed', 'removed user[ {user}][ from project {project}]'),
  'project-user-role-changed': says(
    'Project user role changed',
    `changed the role of user[ {user}][ to {role}]${inProject}`,
  ),
  'project-group-role-changed': says(
    'Project group role changed',
    `changed the role of group[ {groupId}][ to {role}]${inProject}`,
  ),
  'project-group-added': says('Project group added', 'added group[ {groupId}][ as {role}][ to project {project}]'),
  'project-group-removed': says('Project group removed', 'removed group[ {groupId}][ from project {project}]'),
  'role-created': made('role'),
  'role-updated': changed('role'),
  'role-deleted': removed('role'),
  'drop-projects': dropped('projects'),
  'tag-created': says('Tag created', 'created tag[ {tag}]'),
  'tag-deleted': says('Tag deleted', 'deleted tag[ {tag}]'),
  'tag-import': says('Tag imported', 'imported tag[ {tag}]'),
  'drop-tags': dropped('tags'),
  'tag-type-created': made('tag type'),
  'tag-type-deleted': removed('tag type'),
  'tag-type-updated': changed('tag type'),
  'tag-type-import': brought('tag type'),
  'drop-tag-types': dropped('tag types'),
  'addon-config-created': says('Integration configuration created', 'created {provider} integration configuration'),
  'addon-config-updated': says('Integration configuration updated', 'updated {provider} integration configuration'),
  'addon-config-deleted': says('Integration configuration deleted', 'deleted {provider} integration configuration'),
  'db-pool-update': says('Database pool updated', 'updated the database pool'),
  'user-created': made('user'),
  'user-updated': changed('user'),
  'user-deleted': removed('user'),
  'drop-environments': dropped('environments'),
  'environment-import': brought('environment'),
  'environment-created': made('environment'),
  'environment-updated': changed('environment'),
  'environment-deleted': removed('environment'),
  'segment-created': made('segment'),
  'segment-updated': changed('segment'),
  'segment-deleted': removed('segment'),
  'group-created': made('group'),
  'group-updated': changed('group'),
  'group-deleted': removed('group'),
  'group-user-added': says('Group user added', 'added user[ {userId}][ to group {groupId}]'),
  'group-user-removed': says('Group user removed', 'removed user[ {userId}][ from group {groupId}]'),
  'setting-created': made('setting'),
  'setting-updated': changed('setting'),
  'setting-deleted': removed('setting'),
  'client-metrics': says('Client metrics', 'received metrics[ of application {application}]'),
  'client-register': says('Client registered', 'registered an SDK[ of application {application}]'),
  'pat-created': says('Personal access token created', 'created personal access token[ {subject}]'),
  'pat-deleted': says('Personal access token deleted', 'deleted personal access token[ {subject}]'),
  'public-signup-token-created': says('Public signup token created', 'created public signup token[ {subject}]'),
  'public-signup-token-user-added': says('Public signup token used', 'added user[ {userId}] by a public signup token'),
  'public-signup-token-updated': says('Public signup token updated', 'updated public signup token[ {subject}]'),
  'change-request-created': says('Change request created', `created ${request}`),
  'change-request-discarded': says('Change request discarded', `discarded ${request}`),
  'change-added': says('Change added', `added a change[ of {flag}] to ${request}`),
  'change-discarded': says('Change discarded', `discarded a change[ of {flag}] in ${request}`),
  'change-edited': says('Change edited', `edited a change[ of {flag}] in ${request}`),
  'change-request-rejected': says('Change request rejected', `rejected ${request}`),
  'change-request-approved': says('Change request approved', `approved ${request}`),
  'change-request-approval-added': says('Change request approval added', `added an approval to ${request}`),
  'change-request-cancelled': says('Change request cancelled', `cancelled ${request}`),
  'change-request-sent-to-review': says('Change request sent to review', `sent ${request} to review`),
  'change-request-schedule-suspended': says(
    'Change request schedule suspended',
    `suspended the schedule of ${request}`,
  ),
  'change-request-applied': says('Change request applied', `applied ${request}`),
  'change-request-scheduled': says('Change request scheduled', `scheduled ${request}`),
  'change-request-scheduled-application-success': says(
    'Scheduled change request applied',
    `applied the scheduled ${request}`,
  ),
  'change-request-scheduled-application-failure': says(
    'Scheduled change request failed',
    `failed to apply the scheduled ${request}`,
  ),
  'change-request-configuration-updated': says(
    'Change request configuration updated',
    `updated the configuration of change requests${inEnvironment}${inProject}`,
  ),
  'api-token-created': says('API token created', `created API token[ {subject}]${inEnvironment}${inProject}`),
  'api-token-updated': says('API token updated', `updated API token[ {subject}]${inEnvironment}${inProject}`),
  'api-token-deleted': says('API token deleted', `deleted API token[ {subject}]${inEnvironment}${inProject}`),
  'feature-favorited': says('Flag favorited', `made {flag} a favorite${inProject}`),
  'feature-unfavorited': says('Flag unfavorited', `made {flag} a favorite no more${inProject}`),
  'project-favorited': says('Project favorited', 'made project {project} a favorite'),
  'project-unfavorited': says('Project unfavorited', 'made project {project} a favorite no more'),
  'features-exported': says('Flags exported', `exported[ {count}] flags${inEnvironment}${inProject}`),
  'features-imported': says('Flags imported', `imported[ {count}] flags${inEnvironment}${inProject}`),
  'service-account-created': made('service account'),
  'service-account-deleted': removed('service account'),
  'service-account-updated': changed('service account'),
  'feature-potentially-stale-on': says('Flag potentially stale', `marked {flag} as potentially stale${inProject}`),
  'feature-dependency-added': says('Flag dependency added', `added a dependency[ on {parent}] to {flag}${inProject}`),
  'feature-dependency-removed': says(
    'Flag dependency removed',
    `removed the dependency[ on {parent}] from {flag}${inProject}`,
  ),
  'feature-dependencies-removed': says('Flag dependencies removed', `removed all dependencies from {flag}${inProject}`),
  'banner-created': made('banner'),
  'banner-updated': changed('banner'),
  'banner-deleted': removed('banner'),
  'project-environment-added': says(
    'Project environment added',
    'added environment {environment}[ to project {project}]',
  ),
  'project-environment-removed': says(
    'Project environment removed',
    'removed environment {environment}[ from project {project}]',
  ),
  'default-strategy-updated': says(
    'Default strategy updated',
    `updated the default strategy${inEnvironment}${inProject}`,
  ),
  'segment-import': brought('segment'),
  'signal-endpoint-created': made('signal endpoint'),
  'signal-endpoint-updated': changed('signal endpoint'),
  'signal-endpoint-deleted': removed('signal endpoint'),
  'signal-endpoint-token-created': made('signal endpoint token'),
  'signal-endpoint-token-updated': changed('signal endpoint token'),
  'signal-endpoint-token-deleted': removed('signal endpoint token'),
  'actions-created': made('action set'),
  'actions-updated': changed('action set'),
  'actions-deleted': removed('action set'),
};

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
