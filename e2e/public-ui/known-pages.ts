import type { Content } from './content.ts';

const flag = '/projects/default/features/flag-release';
const strategies = `${flag}/strategies`;

/** Pages that the UI opens by a button or a tab, so that no link leads to them. */
export const knownPages = ({ segment, strategy, user, group, role, endpoint }: Content): string[] => [
  ...['/profile', '/profile/personal-api-tokens', '/profile/change-password', '/profile/notifications'],
  ...['/projects/create', '/projects/default/change-requests'],
  ...['/applications', '/logs', '/insights'].map((tab) => `/projects/default${tab}`),
  ...['', '/access', '/access/create', '/api-access', '/api-access/create', '/segments', '/segments/create'].map(
    inSettings,
  ),
  ...['/environments', '/default-strategy', '/release-templates', '/change-requests', '/actions'].map(inSettings),
  ...['/context-fields', '/context-fields/create'].map(inSettings),
  ...['/metrics', '/logs', '/settings', '/variants', '/copy'].map((tab) => flag + tab),
  `${strategies}/create?environmentId=development&strategyName=flexibleRollout&defaultStrategy=true`,
  `${strategies}/create?environmentId=development&strategyName=tides`,
  `${strategies}/edit?environmentId=development&strategyId=${strategy}`,
  ...['/archive', '/unknown-flags', '/history'],
  ...['/strategies/create', '/strategies/tides/edit', '/environments/create', '/environments/staging'],
  ...['/context/create', '/segments/create', `/segments/edit/${segment}`, '/tag-types/create', '/tag-types/edit/team'],
  ...['/feature-toggle-type/edit/release', '/release-templates/create-template', '/applications/shop/instances'],
  ...[`/integrations/signals#${endpoint}`, '/integrations/signals'],
  ...['/admin/api/create-token', '/admin/create-user', `/admin/users/${user}/edit`, `/admin/users/${user}/access`],
  ...['/admin/groups/create-group', `/admin/groups/${group}`, `/admin/roles/${role}/edit`],
  '/playground?environments=development&projects=default&context={"userId":"1"}',
];

function inSettings(path: string): string {
  return `/projects/default/settings${path}`;
}
