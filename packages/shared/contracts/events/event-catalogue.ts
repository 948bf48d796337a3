import { featureEventDataSchema } from '../flags/feature.ts';
import { type EventType, eventAliases } from './event-types.ts';

/** The meaning of an event type: the operations that emit it and the contents of its data. */
export interface EventDescription {
  /**
   * Names of request contracts, separated by commas, or `<service>: ` and what the service does by itself. Null while
   * no operation emits the type.
   */
  readonly emittedBy: string | null;
  /** Why no operation will emit the type, although its service is complete. */
  readonly unusedBecause?: string;
  readonly data: string;
  readonly preData: string;
}

// The convention: a creation has data; a change has the subject after and before; a deletion has preData, except that
// of a tag, which has data as in the public product. A toggle has neither: featureName, project and environment say it
// all. No event contains a secret.
const carries = (data: string, preData = 'null', emittedBy: string | null = null) => ({ emittedBy, data, preData });
const bare = (emittedBy: string | null = null) => carries('null', 'null', emittedBy);
const created = (what: string, emittedBy: string | null = null) => carries(`the new ${what}`, 'null', emittedBy);
const updated = (what: string, emittedBy: string | null = null) =>
  carries(`the ${what} afterwards`, `the ${what} before`, emittedBy);
const deleted = (what: string, emittedBy: string | null = null) => carries('null', `the ${what} as it was`, emittedBy);
const settingWrites = 'accounts.cors.set, accounts.maintenance.set';
const imported = (what: string, emittedBy: string | null = null) => carries(`the imported ${what}`, 'null', emittedBy);
const unused = (unusedBecause: string, description: EventDescription) => ({ ...description, unusedBecause });
// The import of the public product's first versions could delete everything before.
const dropped = (name: string) => unused('an import deletes nothing before', carries(`{ name: "${name}" }`));
const alias = (type: EventType, description: EventDescription) =>
  unused(
    `${eventAliases.get(type)} is emitted instead. An integration that names this type gets that one`,
    description,
  );
// A user or group can have several roles in a project.
const replacedByAccess = (description: EventDescription) =>
  unused('the types project-access-* are emitted instead', description);
const named = (what: string, emittedBy: string | null = null) => carries(`{ name } of the ${what}`, 'null', emittedBy);

const feature = `flag: ${Object.keys(featureEventDataSchema.shape).join(', ')}`;
const strategy =
  'strategy: id, name, title, disabled, featureName, parameters, constraints, variants, sortOrder, segments';
const project =
  'project: id, name, description, defaultStickiness, mode, changeRequestEnvironments, featureLimit, featureNaming, linkTemplates, createdAt';
// The operations after which no enabled strategy may be left.
const strategyRemovals = 'flags.strategy.delete, flags.strategy.update, flags.strategy.patch';
const strategyType = 'strategy type: name, title, description, parameters, editable, deprecated';
const segment = 'segment: id, name, description, project, constraints, createdBy, createdAt';
const environment = 'environment: name, type, sortOrder, enabled, protected, requiredApprovals, createdAt';
const defaultStrategy = 'strategy: name, title, disabled, parameters, constraints, variants, segments';
const addon = 'integration: id, provider, enabled, description, events, projects, environments; no parameters';
const token = 'token without its secret';
const actionSet =
  'action set: id, project, name, description, actorId, enabled, match, actions, cooldownSeconds, createdAt, createdByUserId';
// The operations that also delete the tokens, memberships and roles of an account.
const accountDeletions = 'accounts.user.delete, accounts.service-account.delete';
const projectDeletion = 'accounts: the deletion of a project';
const environmentDeletion = 'accounts: the deletion of an environment';
const serviceAccount = 'service account: id, name, username, rootRole, createdAt';
const banner = 'banner: id, message, enabled, variant, sticky, icon, link, linkText, dialogTitle, dialog, createdAt';
const signalEndpoint = 'signal endpoint: id, name, enabled, description, ratePerSecond, createdAt, createdByUserId';
const tagType = 'tag type: { name, description, icon, color }';
const tagChanges = 'flags.feature-tag.add, flags.feature-tag.update, flags.feature-tag.update-many, flags.import.run';
const tagRemovals =
  'flags.feature-tag.remove, flags.feature-tag.update, flags.feature-tag.update-many, flags.import.run';
const contextField = 'context field: name, description, stickiness, sortOrder, legalValues, project if it has one';
const contextFieldChanges = ['update', 'set-legal-value', 'delete-legal-value']
  .flatMap((verb) => [`flags.context-field.${verb}`, `flags.context-field.${verb}-of-project`])
  .join(', ');
const changeRequest = 'change request: id, title, environment, state and the change concerned';

// The operations that change whole flags.
const changes = 'flags.feature.patch, flags.feature.update';
const archivals = `${changes}, flags.feature.archive, flags.feature.archive-many`;
const revivals = `${changes}, flags.feature.revive, flags.feature.revive-many`;
const switches = 'flags.environment.switch, flags.environment.switch-many, flags.step.execute, flags.import.run';

/** The operation that emits each event type, and the contents of its `data` and `preData`. */
export const eventCatalogue: Readonly<Record<EventType, EventDescription>> = {
  'application-created': created(
    'application: appName, createdBy, strategies, description, url, color, icon',
    'flags.usage.report, flags.application.describe',
  ),
  'feature-created': created(feature, 'flags.feature.create, flags.feature.clone, flags.import.run'),
  'feature-deleted': deleted(feature, 'flags.feature.delete, flags.feature.delete-many, flags.project.delete'),
  'feature-updated': alias('feature-updated', updated('flag')),
  'feature-metadata-updated': updated(
    `${feature}; for a change of its links also links: [{ id, url, title }]`,
    `${changes}, flags.feature-link.create, flags.feature-link.update, flags.feature-link.delete, flags.import.run`,
  ),
  'feature-variants-updated': alias('feature-variants-updated', updated('variants: { variants }')),
  'feature-environment-variants-updated': updated(
    'variants of the environment: { variants }',
    'flags.variant.replace, flags.variant.patch, flags.variant.replace-in-environments, flags.import.run',
  ),
  'feature-project-change': carries(
    '{ newProject, oldProject }',
    'what is deleted of environments that the old project removed: { hiddenStrategies: number by environment }, or null',
    'flags.feature.change-project',
  ),
  'feature-archived': bare(archivals),
  'feature-revived': bare(revivals),
  'feature-import': imported('flag: name, project, type, description, stale, impressionData', 'flags.import.run'),
  'feature-tagged': carries('the tag put on: { type, value }', 'null', tagChanges),
  'feature-tag-import': carries('{ featureName, tag: { type, value } }', 'null', 'flags.import.run'),
  'feature-strategy-update': updated(
    strategy,
    'flags.strategy.update, flags.strategy.patch, flags.strategy.set-segments, flags.step.execute',
  ),
  'feature-strategy-add': created(strategy, `flags.strategy.add, flags.feature.clone, ${switches}`),
  'feature-strategy-remove': deleted(strategy, 'flags.strategy.delete, flags.import.run'),
  'feature-type-updated': updated(
    'flag type: id, name, description, lifetimeDays',
    'flags.feature-type.update-lifetime',
  ),
  'feature-completed': carries('{ status, statusValue }', 'null', 'flags.lifecycle.complete'),
  'feature-uncompleted': bare('flags.lifecycle.uncomplete'),
  'strategy-order-changed': updated('order of strategies: { strategyIds }', 'flags.strategy.set-order'),
  'drop-feature-tags': dropped('all-feature-tags'),
  'feature-untagged': carries('the tag taken off: { type, value }', 'null', tagRemovals),
  'feature-stale-on': bare(`${changes}, flags.feature.mark-stale, flags.step.execute, flags.import.run`),
  'feature-stale-off': bare(`${changes}, flags.feature.mark-stale, flags.import.run`),
  'drop-features': dropped('all-features'),
  'feature-environment-enabled': bare(switches),
  'feature-environment-disabled': bare(`${switches}, ${revivals}, ${strategyRemovals}`),
  'strategy-created': created(strategyType, 'flags.strategy-type.create'),
  'strategy-deleted': named('strategy type', 'flags.strategy-type.delete'),
  'strategy-deprecated': named('strategy type', 'flags.strategy-type.set-deprecated'),
  'strategy-reactivated': named('strategy type', 'flags.strategy-type.set-deprecated'),
  'strategy-updated': updated(strategyType, 'flags.strategy-type.update'),
  'strategy-import': unused('an import makes no strategy types', imported('strategy type')),
  'drop-strategies': dropped('all-strategies'),
  'context-field-created': created(
    contextField,
    'flags.context-field.create, flags.context-field.create-of-project, flags.import.run',
  ),
  'context-field-updated': updated(contextField, contextFieldChanges),
  'context-field-deleted': deleted(
    contextField,
    'flags.context-field.delete, flags.context-field.delete-of-project, flags.project.delete',
  ),
  'project-access-added': carries(
    '{ roles, groups, users } given',
    'null',
    'accounts.project-access.add, accounts: the creator of a project becomes its Owner',
  ),
  'project-access-user-roles-updated': updated(
    "user's roles in the project: { userId, roles }",
    'accounts.project-access.set-user-roles',
  ),
  'project-access-group-roles-updated': updated(
    "group's roles in the project: { groupId, roles }",
    'accounts.project-access.set-group-roles',
  ),
  'project-access-user-roles-deleted': deleted(
    "user's roles in the project: { userId, roles }",
    `accounts.project-access.set-user-roles, ${accountDeletions}, ${projectDeletion}`,
  ),
  'project-access-group-roles-deleted': deleted(
    "group's roles in the project: { groupId, roles }",
    `accounts.project-access.set-group-roles, accounts.group.delete, ${projectDeletion}`,
  ),
  'project-access-updated': updated(
    'access to the project: { roles: [{ id, users, groups }] }, all by id',
    'accounts.project-access.set',
  ),
  'project-created': created(project, 'flags.project.create'),
  'project-updated': updated(project, 'flags.project.update, flags.project.update-settings'),
  'project-deleted': deleted(project, 'flags.project.delete'),
  'project-archived': bare('flags.project.archive'),
  'project-revived': bare('flags.project.revive'),
  'project-import': unused('an import is into a project that exists', imported('project')),
  'project-user-added': replacedByAccess(carries('{ userId, email, roleId, roleName }')),
  'project-user-removed': replacedByAccess(carries('null', '{ userId, email, roleId, roleName }')),
  'project-user-role-changed': replacedByAccess(updated('role of the user: { userId, email, roleId, roleName }')),
  'project-group-role-changed': replacedByAccess(updated('role of the group: { groupId, roleId, roleName }')),
  'project-group-added': replacedByAccess(carries('{ groupId, roleId, roleName }')),
  'project-group-removed': replacedByAccess(carries('null', '{ groupId, roleId, roleName }')),
  'role-created': created('role: id, name, description, type, permissions', 'accounts.role.create'),
  'role-updated': updated(
    'role: id, name, description, type, permissions',
    `accounts.role.update, ${environmentDeletion}`,
  ),
  'role-deleted': deleted('role', 'accounts.role.delete'),
  'drop-projects': dropped('all-projects'),
  'tag-created': created('tag: { type, value }', `flags.tag.create, flags.feature.create, ${tagChanges}`),
  'tag-deleted': carries('the tag as it was: { type, value }', 'null', 'flags.tag.delete, flags.tag-type.delete'),
  'tag-import': imported('tag: { type, value }', 'flags.import.run'),
  'drop-tags': dropped('all-tags'),
  'tag-type-created': created(tagType, 'flags.tag-type.create, flags.tag-type.ensure, flags.import.run'),
  'tag-type-deleted': deleted(tagType, 'flags.tag-type.delete'),
  'tag-type-updated': updated(tagType, 'flags.tag-type.update'),
  'tag-type-import': imported(tagType, 'flags.import.run'),
  'drop-tag-types': dropped('all-tag-types'),
  'addon-config-created': created(addon, 'integrations.integration.create'),
  'addon-config-updated': updated(addon, 'integrations.integration.update'),
  'addon-config-deleted': deleted(addon, 'integrations.integration.delete'),
  'db-pool-update': unused(
    'the size of a pool is a setting of each process, which no request changes: yardarm_db_pool_connections shows it',
    carries('{ min, max } of the pool'),
  ),
  'user-created': created(
    'user: { id, name, username, email, rootRole }',
    'accounts.user.create, accounts: the first admin at a start',
  ),
  'user-updated': updated('user: { id, name, username, email, rootRole }', 'accounts.user.update'),
  'user-deleted': deleted('user: { id, name, username, email, rootRole }', 'accounts.user.delete'),
  'drop-environments': dropped('all-environments'),
  'environment-import': unused(
    'an import is into an environment that exists',
    imported('environment: name, type, sortOrder, enabled, protected'),
  ),
  'environment-created': created(environment, 'flags.environment.create, flags.environment.clone'),
  'environment-updated': updated(
    environment,
    'flags.environment.update, flags.environment.enable, flags.environment.sort',
  ),
  'environment-deleted': deleted(environment, 'flags.environment.delete'),
  'segment-created': created(segment, 'flags.segment.create'),
  'segment-updated': updated(segment, 'flags.segment.update'),
  'segment-deleted': deleted(segment, 'flags.segment.delete, flags.project.delete'),
  'group-created': created('group: id, name, description, mappingsSSO, rootRole, users by id', 'accounts.group.create'),
  'group-updated': updated('group: id, name, description, mappingsSSO, rootRole, users by id', 'accounts.group.update'),
  'group-deleted': deleted('group', 'accounts.group.delete'),
  'group-user-added': carries('{ groupId, userId }', 'null', 'accounts.group.create, accounts.group.update'),
  'group-user-removed': carries(
    'null',
    '{ groupId, userId }',
    `accounts.group.update, accounts.group.delete, ${accountDeletions}`,
  ),
  'setting-created': created('setting: { id, content }', settingWrites),
  'setting-updated': updated('setting: { id, content }', settingWrites),
  // A setting that returns to its default.
  'setting-deleted': deleted('setting: { id, content }', settingWrites),
  'client-metrics': unused(
    'SDKs report too often: flags sums up what they count',
    carries('what the SDK counted: { appName, instanceId, bucket }'),
  ),
  'client-register': carries(
    'the first instance with an SDK version: { appName, instanceId, sdkVersion, strategies, started, interval }',
    'null',
    'flags.usage.report',
  ),
  'pat-created': created(token, 'accounts.service-account-token.create, accounts.personal-token.create'),
  'pat-deleted': deleted(
    token,
    `accounts.service-account-token.delete, accounts.personal-token.delete, ${accountDeletions}`,
  ),
  'public-signup-token-created': created(token),
  'public-signup-token-user-added': carries('{ userId } that signed up by the token'),
  'public-signup-token-updated': updated(token),
  'change-request-created': created(changeRequest),
  'change-request-discarded': carries(changeRequest),
  'change-added': carries(changeRequest),
  'change-discarded': carries(changeRequest),
  'change-edited': updated('change of the request'),
  'change-request-rejected': carries(changeRequest),
  'change-request-approved': carries(changeRequest),
  'change-request-approval-added': carries(changeRequest),
  'change-request-cancelled': carries(changeRequest),
  'change-request-sent-to-review': carries(changeRequest),
  'change-request-schedule-suspended': carries(changeRequest),
  'change-request-applied': carries(changeRequest),
  'change-request-scheduled': carries(changeRequest),
  'change-request-scheduled-application-success': carries(changeRequest),
  'change-request-scheduled-application-failure': carries(changeRequest),
  'change-request-configuration-updated': updated('configuration: { environment, enabled, requiredApprovals }'),
  'api-token-created': created(
    token,
    'accounts.api-token.create, accounts.api-token.create-for-project, accounts: initial tokens at a start',
  ),
  'api-token-updated': updated(token, `accounts.api-token.update, ${projectDeletion}`),
  'api-token-deleted': deleted(
    token,
    `accounts.api-token.delete, accounts.api-token.delete-of-project, ${projectDeletion}, ${environmentDeletion}`,
  ),
  'feature-favorited': carries('{ feature } by name', 'null', 'flags.feature.add-favorite'),
  'feature-unfavorited': carries('{ feature } by name', 'null', 'flags.feature.remove-favorite'),
  'project-favorited': carries('{ project }', 'null', 'flags.project.add-favorite'),
  'project-unfavorited': carries('{ project }', 'null', 'flags.project.remove-favorite'),
  'features-exported': carries('{ features } by name', 'null', 'flags.feature.export'),
  'features-imported': carries('{ features } by name', 'null', 'flags.import.run'),
  'service-account-created': created(serviceAccount, 'accounts.service-account.create'),
  'service-account-deleted': deleted(serviceAccount, 'accounts.service-account.delete'),
  'service-account-updated': updated(serviceAccount, 'accounts.service-account.update'),
  'feature-potentially-stale-on': bare('flags: the job of staleness'),
  'feature-dependency-added': carries(
    'the parent: { feature, enabled, variants }',
    'null, or the parent before: { feature, enabled, variants }',
    'flags.dependency.add, flags.feature.clone, flags.import.run',
  ),
  'feature-dependency-removed': carries(
    'null',
    'the parent: { feature, enabled, variants }',
    'flags.dependency.delete',
  ),
  'feature-dependencies-removed': carries(
    'null',
    '{ dependencies: [{ feature, enabled, variants }] }',
    `flags.dependency.delete-all, ${archivals}`,
  ),
  'banner-created': created(banner, 'accounts.banner.create'),
  'banner-updated': updated(banner, 'accounts.banner.update, accounts.banner.switch'),
  'banner-deleted': deleted('banner', 'accounts.banner.delete'),
  'project-environment-added': carries(
    'how much of the flags returned: { features, strategies }, or null',
    'null',
    'flags.project-environment.add, flags.environment.clone',
  ),
  'project-environment-removed': carries(
    'null',
    'how much of the flags is hidden: { features, strategies }, or null',
    'flags.project-environment.remove',
  ),
  'default-strategy-updated': carries(
    `the ${defaultStrategy} afterwards`,
    `null, or the ${defaultStrategy} before`,
    'flags.project-environment.set-default-strategy, flags.project-environment.add',
  ),
  'segment-import': unused('an import names segments that exist', imported('segment')),
  'signal-endpoint-created': created(signalEndpoint, 'signals.endpoint.create'),
  'signal-endpoint-updated': updated(signalEndpoint, 'signals.endpoint.update, signals.endpoint.switch'),
  'signal-endpoint-deleted': deleted(signalEndpoint, 'signals.endpoint.delete'),
  'signal-endpoint-token-created': created(token, 'signals.endpoint-token.create'),
  'signal-endpoint-token-updated': updated(token, 'signals.endpoint-token.update'),
  'signal-endpoint-token-deleted': deleted(token, 'signals.endpoint-token.delete, signals.endpoint.delete'),
  'actions-created': created(actionSet, 'signals.action-set.create'),
  'actions-updated': updated(actionSet, 'signals.action-set.update, signals.action-set.switch'),
  'actions-deleted': deleted('action set', 'signals.action-set.delete, signals: the deletion of a project'),
};
