import type { Event, EventType } from '@yardarm/shared/contracts/events';

/** An event of the log, as the stream of the API has it. It says what to read again. No screen takes state from it. */
export type LiveEvent = Pick<
  Event,
  'id' | 'type' | 'createdAt' | 'createdBy' | 'createdByUserId' | 'project' | 'featureName' | 'environment'
>;

/** What is read again after an event. Each is the beginning of query keys. */
type Area =
  | 'feature'
  | 'several-features'
  | 'project'
  | 'access'
  | 'environments'
  | 'segments'
  | 'context-fields'
  | 'tags'
  | 'strategy-types'
  | 'feature-types'
  | 'applications'
  | 'integrations'
  | 'people'
  | 'tokens'
  | 'settings'
  | 'banners'
  | 'signals'
  | 'nothing';

/** For each type of the log what it changes. A new type does not compile until it has a row. */
export const areas: Record<EventType, Area> = {
  'application-created': 'applications',
  'feature-created': 'feature',
  'feature-deleted': 'feature',
  'feature-updated': 'feature',
  'feature-metadata-updated': 'feature',
  'feature-variants-updated': 'feature',
  'feature-environment-variants-updated': 'feature',
  'feature-project-change': 'several-features',
  'feature-archived': 'feature',
  'feature-revived': 'feature',
  'feature-import': 'nothing',
  'feature-tagged': 'feature',
  'feature-tag-import': 'tags',
  'feature-strategy-update': 'feature',
  'feature-strategy-add': 'feature',
  'feature-strategy-remove': 'feature',
  'feature-type-updated': 'feature-types',
  'feature-completed': 'feature',
  'feature-uncompleted': 'feature',
  'strategy-order-changed': 'feature',
  'drop-feature-tags': 'nothing',
  'feature-untagged': 'feature',
  'feature-stale-on': 'feature',
  'feature-stale-off': 'feature',
  'drop-features': 'nothing',
  'feature-environment-enabled': 'feature',
  'feature-environment-disabled': 'feature',
  'strategy-created': 'strategy-types',
  'strategy-deleted': 'strategy-types',
  'strategy-deprecated': 'strategy-types',
  'strategy-reactivated': 'strategy-types',
  'strategy-updated': 'strategy-types',
  'strategy-import': 'nothing',
  'drop-strategies': 'nothing',
  'context-field-created': 'context-fields',
  'context-field-updated': 'context-fields',
  'context-field-deleted': 'context-fields',
  'project-access-added': 'access',
  'project-access-user-roles-updated': 'access',
  'project-access-group-roles-updated': 'access',
  'project-access-user-roles-deleted': 'access',
  'project-access-group-roles-deleted': 'access',
  'project-access-updated': 'access',
  'project-created': 'project',
  'project-updated': 'project',
  'project-deleted': 'project',
  'project-archived': 'project',
  'project-revived': 'project',
  'project-import': 'nothing',
  'project-user-added': 'access',
  'project-user-removed': 'access',
  'project-user-role-changed': 'access',
  'project-group-role-changed': 'access',
  'project-group-added': 'access',
  'project-group-removed': 'access',
  'role-created': 'people',
  'role-updated': 'people',
  'role-deleted': 'people',
  'drop-projects': 'nothing',
  'tag-created': 'tags',
  'tag-deleted': 'tags',
  'tag-import': 'tags',
  'drop-tags': 'nothing',
  'tag-type-created': 'tags',
  'tag-type-deleted': 'tags',
  'tag-type-updated': 'tags',
  'tag-type-import': 'tags',
  'drop-tag-types': 'nothing',
  'addon-config-created': 'integrations',
  'addon-config-updated': 'integrations',
  'addon-config-deleted': 'integrations',
  'db-pool-update': 'nothing',
  'user-created': 'people',
  'user-updated': 'people',
  'user-deleted': 'people',
  'drop-environments': 'nothing',
  'environment-import': 'nothing',
  'environment-created': 'environments',
  'environment-updated': 'environments',
  'environment-deleted': 'environments',
  'segment-created': 'segments',
  'segment-updated': 'segments',
  'segment-deleted': 'segments',
  'group-created': 'people',
  'group-updated': 'people',
  'group-deleted': 'people',
  'group-user-added': 'people',
  'group-user-removed': 'people',
  'setting-created': 'settings',
  'setting-updated': 'settings',
  'setting-deleted': 'settings',
  'client-metrics': 'nothing',
  'client-register': 'applications',
  'pat-created': 'tokens',
  'pat-deleted': 'tokens',
  'public-signup-token-created': 'nothing',
  'public-signup-token-user-added': 'nothing',
  'public-signup-token-updated': 'nothing',
  'change-request-created': 'feature',
  'change-request-discarded': 'feature',
  'change-added': 'feature',
  'change-discarded': 'feature',
  'change-edited': 'feature',
  'change-request-rejected': 'feature',
  'change-request-approved': 'feature',
  'change-request-approval-added': 'feature',
  'change-request-cancelled': 'feature',
  'change-request-sent-to-review': 'feature',
  'change-request-schedule-suspended': 'feature',
  'change-request-applied': 'feature',
  'change-request-scheduled': 'feature',
  'change-request-scheduled-application-success': 'feature',
  'change-request-scheduled-application-failure': 'feature',
  'change-request-configuration-updated': 'feature',
  'api-token-created': 'tokens',
  'api-token-updated': 'tokens',
  'api-token-deleted': 'tokens',
  'feature-favorited': 'feature',
  'feature-unfavorited': 'feature',
  'project-favorited': 'project',
  'project-unfavorited': 'project',
  'features-exported': 'nothing',
  'features-imported': 'several-features',
  'service-account-created': 'people',
  'service-account-deleted': 'people',
  'service-account-updated': 'people',
  'feature-potentially-stale-on': 'feature',
  'feature-dependency-added': 'several-features',
  'feature-dependency-removed': 'several-features',
  'feature-dependencies-removed': 'several-features',
  'banner-created': 'banners',
  'banner-updated': 'banners',
  'banner-deleted': 'banners',
  'project-environment-added': 'project',
  'project-environment-removed': 'project',
  'default-strategy-updated': 'project',
  'segment-import': 'nothing',
  'signal-endpoint-created': 'signals',
  'signal-endpoint-updated': 'signals',
  'signal-endpoint-deleted': 'signals',
  'signal-endpoint-token-created': 'signals',
  'signal-endpoint-token-updated': 'signals',
  'signal-endpoint-token-deleted': 'signals',
  'actions-created': 'signals',
  'actions-updated': 'signals',
  'actions-deleted': 'signals',
};

type QueryKey = readonly unknown[];

const stars = new Set<EventType>([
  'feature-favorited',
  'feature-unfavorited',
  'project-favorited',
  'project-unfavorited',
]);

/** The beginnings of the keys of the queries that show what the event changed. A star is seen by its user alone. */
export function changedKeys(event: LiveEvent, me?: number): QueryKey[] {
  const isTheirStar = stars.has(event.type) && me !== undefined && event.createdByUserId !== me;
  return [['events'], ...(isTheirStar ? [] : keysOfArea(event))];
}

function keysOfArea({ type, project, featureName }: LiveEvent): QueryKey[] {
  // A type of a newer server.
  const area = areas[type] ?? 'nothing';
  switch (area) {
    case 'nothing':
      return [];
    case 'feature':
      return [
        ['features'],
        ['playground'],
        ['project', project],
        ...(project && featureName ? [['feature', project, featureName]] : [['feature']]),
      ];
    // Also the flag that it depends on, or the project that it was in.
    case 'several-features':
      return [['features'], ['playground'], ['feature'], ['project']];
    case 'project':
      return [['projects'], ['project', project], ['features'], ['playground'], ['feature', project]];
    case 'access':
      return [['project', project], ['people'], ['me']];
    case 'environments':
      return [['environments'], ['features'], ['playground'], ['feature'], ['project']];
    case 'segments':
      return [['segments'], ['playground']];
    case 'people':
      return [['people'], ['me']];
    // Service accounts are listed with their tokens.
    case 'tokens':
      return [['tokens'], ['people', 'service-accounts']];
    case 'settings':
      return [['settings'], ['ui-config']];
    default:
      return [[area]];
  }
}
