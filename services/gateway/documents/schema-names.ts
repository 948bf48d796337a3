import * as accounts from '@yardarm/shared/contracts/accounts';
import * as events from '@yardarm/shared/contracts/events';
import * as flags from '@yardarm/shared/contracts/flags';
import * as integrations from '@yardarm/shared/contracts/integrations';
import * as signals from '@yardarm/shared/contracts/signals';
import type { z } from 'zod';
import { readableEventSchema } from '../events/event-search.routes.ts';
import type { Route } from '../http/route.ts';
import { listedProjectSchema } from '../projects/project-views.routes.ts';
import { resourceLimitsSchema } from '../ui-config/resource-limits.ts';

/**
 * The named schemas of the document, which generated clients use. The names are those of the public product where it
 * has one. Every body and answer refers to these schemas by name.
 */
export const nouns: Record<string, z.ZodType> = {
  addonSchema: integrations.integrationSchema,
  addonParameterSchema: integrations.providerParameterSchema,
  addonTypeSchema: integrations.providerSchema,
  apiTokenSchema: accounts.apiTokenSchema,
  clientFeatureSchema: flags.clientFeatureSchema,
  constraintSchema: flags.constraintSchema,
  contextFieldSchema: flags.contextFieldSchema,
  eventSchema: readableEventSchema,
  eventTagSchema: events.eventTagSchema,
  featureEnvironmentSchema: flags.featureEnvironmentSchema,
  featureSchema: flags.featureSchema,
  featureSearchEnvironmentSchema: flags.foundFeatureEnvironmentSchema,
  featureSearchResponseSchema: flags.foundFeatureSchema,
  featureStrategySchema: flags.strategySchema,
  featureTypeSchema: flags.featureTypeSchema,
  groupSchema: accounts.groupSchema,
  handledEventSchema: events.eventSchema,
  integrationEventSchema: integrations.integrationEventSchema,
  patSchema: accounts.personalTokenSchema,
  legalValueSchema: flags.legalValueSchema,
  permissionOverviewSchema: accounts.permissionOverviewSchema,
  projectAccessSchema: accounts.projectAccessSchema,
  projectSchema: listedProjectSchema,
  onboardingStatusSchema: flags.onboardingStatusSchema,
  adminPermissionSchema: accounts.listedPermissionSchema,
  resourceLimitsSchema,
  roleSchema: accounts.roleSchema,
  roleWithPermissionsSchema: accounts.roleWithPermissionsSchema,
  serviceAccountSchema: accounts.serviceAccountSchema,
  signalEndpointSchema: signals.signalEndpointSchema,
  signalEndpointSignalSchema: signals.endpointSignalSchema,
  signalEndpointTokenSchema: signals.signalEndpointTokenSchema,
  signedInUserSchema: accounts.signedInUserSchema,
  strategySchema: flags.strategyTypeSchema,
  strategyVariantSchema: flags.strategyVariantSchema,
  tagSchema: flags.tagSchema,
  tagTypeSchema: flags.tagTypeSchema,
  userAccessSchema: accounts.accessRowSchema,
  userSchema: accounts.userSchema,
  variantSchema: flags.variantSchema,
};

/** Names of bodies, by operation, where the public product does not use the operation's name. */
const bodies: Record<string, string> = {
  addFeatureStrategy: 'createFeatureStrategySchema',
  addAccessToProject: 'projectAddAccessSchema',
  addTagToFeatures: 'tagsBulkAddSchema',
  archiveFeatures: 'batchFeaturesSchema',
  bulkToggleFeaturesEnvironmentOff: 'bulkToggleFeaturesSchema',
  bulkToggleFeaturesEnvironmentOn: 'bulkToggleFeaturesSchema',
  exportFeatures: 'exportQuerySchema',
  importToggles: 'importTogglesSchema',
  validateImport: 'importTogglesSchema',
  changeUserPassword: 'passwordSchema',
  complete: 'featureLifecycleCompletedSchema',
  createFeatureLink: 'linkSchema',
  createRole: 'createRoleWithPermissionsSchema',
  createServiceAccountToken: 'createPatSchema',
  deleteFeatures: 'batchFeaturesSchema',
  getValidTokens: 'tokenStringListSchema',
  patchFeature: 'patchesSchema',
  patchFeatureStrategy: 'patchesSchema',
  resetUserPassword: 'idSchema',
  updateFeatureLink: 'linkSchema',
  reviveFeatures: 'batchFeaturesSchema',
  staleFeatures: 'batchStaleSchema',
  validateArchiveFeatures: 'batchFeaturesSchema',
};

/** The same for answers. */
const answers: Record<string, string> = {
  createProject: 'projectCreatedSchema',
  getPersonalDashboard: 'personalDashboardSchema',
  getPersonalDashboardProjectDetails: 'personalDashboardProjectDetailsSchema',
  getProjectFlagCreators: 'projectFlagCreatorsSchema',
  getProjectOverview: 'projectOverviewSchema',
  getProjectStatus: 'projectStatusSchema',
  getProjects: 'projectsSchema',
  checkLicense: 'licenseCheckSchema',
  getBanners: 'bannersSchema',
  getUserAccessRequests: 'userAccessRequestsSchema',
  getReleaseTemplates: 'releasePlanTemplatesSchema',
  searchChangeRequests: 'changeRequestSearchResponseSchema',
  getChangeRequestsForProject: 'changeRequestsSchema',
  getProjectChangeRequestConfig: 'changeRequestConfigSchema',
  getPendingChangeRequestsForUser: 'changeRequestsSchema',
  getPendingChangeRequestsForFeature: 'changeRequestsSchema',
  getScheduledChangeRequests: 'changeRequestScheduledResultSchema',
  getActionableChangeRequests: 'actionableChangeRequestsSchema',
  getAddons: 'addonsSchema',
  getAdminCount: 'adminCountSchema',
  getAllApiTokens: 'apiTokensSchema',
  getAllClientFeatures: 'clientFeaturesSchema',
  getAllFeatureTypes: 'featureTypesSchema',
  getAllStrategies: 'strategiesSchema',
  getBaseUsersAndGroups: 'usersGroupsBaseSchema',
  getFeatureLifecycle: 'featureLifecycleSchema',
  getFeatureLifecycleStageCount: 'featureLifecycleCountSchema',
  getContextFields: 'contextFieldsSchema',
  getFeatures: 'featuresSchema',
  getGroups: 'groupsSchema',
  getIntegrationEvents: 'integrationEventsSchema',
  getMe: 'meSchema',
  getPats: 'patsSchema',
  getPermissions: 'adminPermissionsSchema',
  getProfile: 'profileSchema',
  getProjectApiTokens: 'apiTokensSchema',
  getRoles: 'rolesWithVersionSchema',
  getServiceAccountTokens: 'patsSchema',
  getServiceAccounts: 'serviceAccountsSchema',
  getSignalEndpointSignals: 'signalEndpointSignalsSchema',
  getSignalEndpointTokens: 'signalEndpointTokensSchema',
  getSignalEndpoints: 'signalEndpointsSchema',
  getTag: 'tagWithVersionSchema',
  createTag: 'tagWithVersionSchema',
  getTagTypes: 'tagTypesSchema',
  getTags: 'tagsSchema',
  getTagsByType: 'tagsSchema',
  listTags: 'featureTagsSchema',
  updateTags: 'featureTagsSchema',
  validateTagType: 'validateTagTypeSchema',
  getStrategiesByContextField: 'contextFieldStrategiesSchema',
  getStrategiesByContextFieldForProject: 'contextFieldStrategiesSchema',
  getUiConfig: 'uiConfigSchema',
  getUserRoles: 'rolesSchema',
  getUsers: 'usersSchema',
  getValidTokens: 'validatedEdgeTokensSchema',
  resetUserPassword: 'resetPasswordSchema',
  searchEvents: 'eventSearchResponseSchema',
  exportFeatures: 'exportResultSchema',
  searchFeatures: 'searchFeaturesSchema',
  validateImport: 'importTogglesValidateSchema',
  searchUsers: 'usersSearchSchema',
  validateArchiveFeatures: 'validateArchiveFeaturesSchema',
  validateToken: 'tokenUserSchema',
};

/** The schema name of a body that is not a noun. */
export function nameOfBody({ operationId }: Route): string {
  return bodies[operationId] ?? `${operationId}Schema`;
}

/** The schema name of an answer that is not a noun. */
export function nameOfAnswer({ operationId }: Route): string {
  return answers[operationId] ?? `${operationId}ResponseSchema`;
}
