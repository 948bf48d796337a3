/**
 * What unleash-server-api-go demands of each answer that the Terraform provider reads. Its models are generated from
 * the OpenAPI document of unleash-server 7.5 (commit eae2272). A type is string, time, integer, number, boolean or the
 * name of a shape, with [] for a list. `?` allows null, and `-` before a property says that it may be absent.
 */
export const shapes = {
  apiToken: {
    ...{ secret: 'string', tokenName: 'string', type: 'string', '-environment': 'string', project: 'string' },
    ...{ projects: 'string[]', '-expiresAt': 'time?', createdAt: 'time', '-seenAt': 'time?', '-alias': 'string?' },
  },
  apiTokens: { tokens: 'apiToken[]' },
  contextField: {
    ...{ name: 'string', '-description': 'string?', '-stickiness': 'boolean', '-sortOrder': 'integer' },
    ...{ '-createdAt': 'time?', '-usedInFeatures': 'integer?', '-usedInProjects': 'integer?' },
    ...{ '-legalValues': 'legalValue[]', '-project': 'string' },
  },
  legalValue: { value: 'string', '-description': 'string' },
  environment: {
    ...{ name: 'string', type: 'string', enabled: 'boolean', protected: 'boolean', sortOrder: 'integer' },
    ...{ '-projectCount': 'integer?', '-apiTokenCount': 'integer?', '-enabledToggleCount': 'integer?' },
    ...{ '-requiredApprovals': 'integer?' },
  },
  projectEnvironments: { version: 'integer', environments: 'projectEnvironment[]' },
  projectEnvironment: {
    ...{ name: 'string', type: 'string', enabled: 'boolean', protected: 'boolean', sortOrder: 'integer' },
    ...{
      '-requiredApprovals': 'integer?',
      '-projectApiTokenCount': 'integer',
      '-projectEnabledToggleCount': 'integer',
    },
    ...{ '-visible': 'boolean' },
  },
  group: {
    ...{ '-id': 'integer', name: 'string', '-description': 'string?', '-mappingsSSO': 'string[]' },
    ...{ '-rootRole': 'number?', '-createdBy': 'string?', '-createdAt': 'time?', '-users': 'member[]' },
    ...{ '-projects': 'string[]', '-userCount': 'integer', '-scimId': 'string?' },
  },
  groups: { '-groups': 'group[]' },
  member: { '-joinedAt': 'time', '-createdBy': 'string?', user: 'user' },
  user: {
    ...{ id: 'integer', '-name': 'string?', '-email': 'string', '-username': 'string?', '-imageUrl': 'string' },
    ...{ '-inviteLink': 'string', '-loginAttempts': 'integer', '-emailSent': 'boolean', '-rootRole': 'integer' },
    ...{ '-seenAt': 'time?', '-createdAt': 'time', '-accountType': 'string', '-permissions': 'string[]' },
    ...{ '-scimId': 'string?', '-activeSessions': 'integer?', '-deletedSessions': 'number' },
  },
  users: { users: 'user[]', '-rootRoles': 'role[]' },
  createdProject: {
    ...{ id: 'string', name: 'string', '-description': 'string?', '-featureLimit': 'integer?', '-mode': 'string' },
    ...{ '-defaultStickiness': 'string', '-environments': 'string[]' },
  },
  projects: { version: 'integer', projects: 'project[]' },
  project: {
    ...{ id: 'string', name: 'string', '-description': 'string?', '-health': 'number', '-technicalDebt': 'number' },
    ...{ '-featureCount': 'number', '-staleFeatureCount': 'number', '-potentiallyStaleFeatureCount': 'number' },
    ...{ '-memberCount': 'number', '-createdAt': 'time', '-updatedAt': 'time?', '-lastUpdatedAt': 'time?' },
    ...{ '-archivedAt': 'time?', '-favorite': 'boolean', '-mode': 'string', '-defaultStickiness': 'string' },
    ...{ '-avgTimeToProduction': 'number', '-lastReportedFlagUsage': 'time?' },
  },
  projectAccess: { groups: 'groupWithRoles[]', users: 'userWithRoles[]', roles: 'role[]' },
  groupWithRoles: {
    ...{ '-name': 'string', id: 'integer', '-addedAt': 'time', '-roleId': 'integer', '-roles': 'integer[]' },
    ...{ '-description': 'string?', '-mappingsSSO': 'string[]', '-rootRole': 'number?', '-createdBy': 'string?' },
    ...{ '-createdAt': 'time?', '-users': 'member[]', '-scimId': 'string?' },
  },
  userWithRoles: {
    ...{ '-isAPI': 'boolean', '-name': 'string', '-email': 'string?', id: 'integer', '-imageUrl': 'string?' },
    ...{ '-addedAt': 'time', '-roleId': 'integer', '-roles': 'integer[]' },
  },
  role: { id: 'integer', type: 'string', name: 'string', '-description': 'string', '-project': 'string?' },
  roleWithVersion: { version: 'integer', roles: 'role' },
  rolesWithVersion: { version: 'integer', roles: 'role[]' },
  roleWithPermissions: {
    ...{ id: 'number', type: 'string', name: 'string', '-description': 'string', permissions: 'permission[]' },
  },
  permission: { id: 'integer', name: 'string', displayName: 'string', type: 'string', '-environment': 'string?' },
  permissionsWithVersion: { version: 'integer', permissions: 'permissions' },
  permissions: { '-root': 'permission[]', project: 'permission[]', environments: 'environmentPermissions[]' },
  environmentPermissions: { name: 'string', permissions: 'permission[]' },
  configuration: {
    ...{ environment: 'string', type: 'string', changeRequestEnabled: 'boolean', requiredApprovals: 'number?' },
  },
  serviceAccount: {
    ...{ id: 'number', '-isAPI': 'boolean', '-name': 'string', '-email': 'string', '-username': 'string' },
    ...{ '-imageUrl': 'string', '-inviteLink': 'string', '-loginAttempts': 'number', '-emailSent': 'boolean' },
    ...{ '-rootRole': 'integer', '-seenAt': 'time?', '-createdAt': 'time', '-tokens': 'personalToken[]' },
  },
  serviceAccounts: { serviceAccounts: 'serviceAccount[]', '-rootRoles': 'role[]' },
  personalToken: {
    ...{ id: 'integer', '-secret': 'string', createdAt: 'time', '-seenAt': 'time?', '-userId': 'integer' },
    ...{ description: 'string', expiresAt: 'time' },
  },
  personalTokens: { '-pats': 'personalToken[]' },
} as const satisfies Record<string, Record<string, string>>;
