import { serveUseCases } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/flags';
import { serveOutbox } from '@yardarm/shared/db';
import {
  getContextField,
  getContextFieldOfProject,
  listContextFields,
  listContextFieldsOfProject,
  validateContextField,
  validateContextFieldOfProject,
} from './context-fields/context-fields.handlers.ts';
import { createContextField, createContextFieldOfProject } from './context-fields/create-context-field.ts';
import { deleteContextField } from './context-fields/delete-context-field.ts';
import { deleteLegalValue, setLegalValue, updateContextField } from './context-fields/update-context-field.ts';
import { listEnvironmentNames } from './environments/environments.handlers.ts';
import { switchEnvironment } from './environments/switch-environment.ts';
import { addFavoriteFeature, removeFavoriteFeature } from './favorites/favorite-feature.ts';
import { searchFeatures } from './feature-search/search-features.ts';
import { updateLifetime } from './feature-types/update-lifetime.ts';
import { createFeature } from './features/create-feature.ts';
import { getFeature, listFeatures } from './features/features.handlers.ts';
import { patchFeature } from './features/patch-feature.ts';
import { completeFeature } from './lifecycle/complete-feature.ts';
import { countFeaturesByStage, getLifecycle } from './lifecycle/lifecycle.handlers.ts';
import { uncompleteFeature } from './lifecycle/uncomplete-feature.ts';
import { toFlagsLimits } from './limits/limits.ts';
import { createLink } from './links/create-link.ts';
import { deleteLink } from './links/delete-link.ts';
import { updateLink } from './links/update-link.ts';
import { archiveProject, reviveProject } from './projects/archive-project.ts';
import { createProject } from './projects/create-project.ts';
import { deleteProject } from './projects/delete-project.ts';
import { addFavoriteProject, removeFavoriteProject } from './projects/favorite-project.ts';
import * as projectViews from './projects/project-views.handlers.ts';
import { findMissingProjectsAndEnvironments, listProjectIds, validateProject } from './projects/projects.handlers.ts';
import { updateProject, updateProjectSettings } from './projects/update-project.ts';
import type { FlagsResources } from './resources.ts';
import { fetchSnapshot, listRevisions } from './snapshots/snapshots.handlers.ts';
import { addStrategy } from './strategies/add-strategy.ts';
import { patchStrategy, updateStrategy } from './strategies/change-strategy.ts';
import { validateConstraint } from './strategies/check-constraints.ts';
import { deleteStrategy } from './strategies/delete-strategy.ts';
import { setStrategyOrder } from './strategies/set-strategy-order.ts';
import { setStrategySegments } from './strategies/set-strategy-segments.ts';
import { getStrategy, listStrategies, listStrategiesByContextField } from './strategies/strategies.handlers.ts';
import { createStrategyType } from './strategy-types/create-strategy-type.ts';
import { deleteStrategyType } from './strategy-types/delete-strategy-type.ts';
import { getStrategyType, listStrategyTypes } from './strategy-types/strategy-types.handlers.ts';
import { setStrategyTypeDeprecated, updateStrategyType } from './strategy-types/update-strategy-type.ts';
import { createTagType } from './tag-types/create-tag-type.ts';
import { deleteTagType } from './tag-types/delete-tag-type.ts';
import { ensureTagTypes } from './tag-types/ensure-tag-types.ts';
import { getTagType, listTagTypes, validateTagType } from './tag-types/tag-types.handlers.ts';
import { updateTagType } from './tag-types/update-tag-type.ts';
import {
  addFeatureTag,
  removeFeatureTag,
  updateFeatureTags,
  updateTagsOfFeatures,
} from './tags/change-feature-tags.ts';
import { createTag } from './tags/create-tag.ts';
import { deleteTag } from './tags/delete-tag.ts';
import { getTag, listFeatureTags, listTags } from './tags/tags.handlers.ts';
import { reportUsage } from './usage/report-usage.ts';

export function serveFlags(resources: FlagsResources): void {
  const { serve, serveMany } = serveUseCases(resources);
  serve(contracts.createFeature, createFeature);
  serve(contracts.getFeature, getFeature);
  serveMany(contracts.listFeatures, listFeatures);
  serveMany(contracts.searchFeatures, searchFeatures);
  serve(contracts.patchFeature, patchFeature);
  serve(contracts.addFavoriteFeature, addFavoriteFeature);
  serve(contracts.removeFavoriteFeature, removeFavoriteFeature);
  serve(contracts.createFeatureLink, createLink);
  serve(contracts.updateFeatureLink, updateLink);
  serve(contracts.deleteFeatureLink, deleteLink);
  serve(contracts.getFeatureLifecycle, getLifecycle);
  serve(contracts.completeFeature, completeFeature);
  serve(contracts.uncompleteFeature, uncompleteFeature);
  serve(contracts.countLifecycleStages, countFeaturesByStage);
  serve(contracts.reportUsage, reportUsage);
  serve(contracts.updateFeatureTypeLifetime, updateLifetime);
  serve(contracts.switchEnvironment, switchEnvironment);
  serveMany(contracts.listTags, listTags);
  serve(contracts.getTag, getTag);
  serve(contracts.createTag, createTag);
  serve(contracts.deleteTag, deleteTag);
  serve(contracts.listFeatureTags, listFeatureTags);
  serve(contracts.addFeatureTag, addFeatureTag);
  serve(contracts.updateFeatureTags, updateFeatureTags);
  serve(contracts.removeFeatureTag, removeFeatureTag);
  serve(contracts.updateTagsOfFeatures, updateTagsOfFeatures);
  serveMany(contracts.listTagTypes, listTagTypes);
  serve(contracts.getTagType, getTagType);
  serve(contracts.validateTagType, validateTagType);
  serve(contracts.ensureTagTypes, ensureTagTypes);
  serve(contracts.createTagType, createTagType);
  serve(contracts.updateTagType, updateTagType);
  serve(contracts.deleteTagType, deleteTagType);
  serveMany(contracts.listContextFields, listContextFields);
  serveMany(contracts.listContextFieldsOfProject, listContextFieldsOfProject);
  serve(contracts.getContextField, getContextField);
  serve(contracts.getContextFieldOfProject, getContextFieldOfProject);
  serve(contracts.createContextField, createContextField);
  serve(contracts.createContextFieldOfProject, createContextFieldOfProject);
  serve(contracts.updateContextField, updateContextField);
  serve(contracts.updateContextFieldOfProject, updateContextField);
  serve(contracts.deleteContextField, deleteContextField);
  serve(contracts.deleteContextFieldOfProject, deleteContextField);
  serve(contracts.setLegalValue, setLegalValue);
  serve(contracts.setLegalValueOfProject, setLegalValue);
  serve(contracts.deleteLegalValue, deleteLegalValue);
  serve(contracts.deleteLegalValueOfProject, deleteLegalValue);
  serve(contracts.validateContextField, validateContextField);
  serve(contracts.validateContextFieldOfProject, validateContextFieldOfProject);
  serve(contracts.listEnvironmentNames, listEnvironmentNames);
  serveMany(contracts.listProjectIds, listProjectIds);
  serve(contracts.findMissingProjectsAndEnvironments, findMissingProjectsAndEnvironments);
  serve(contracts.createProject, createProject);
  serve(contracts.validateProject, validateProject);
  serve(contracts.updateProject, updateProject);
  serve(contracts.updateProjectSettings, updateProjectSettings);
  serve(contracts.archiveProject, archiveProject);
  serve(contracts.reviveProject, reviveProject);
  serve(contracts.deleteProject, deleteProject);
  serve(contracts.addFavoriteProject, addFavoriteProject);
  serve(contracts.removeFavoriteProject, removeFavoriteProject);
  serveMany(contracts.listProjects, projectViews.listProjects);
  serve(contracts.getProjectOverview, projectViews.getProjectOverview);
  serve(contracts.getProjectStatus, projectViews.getProjectStatus);
  serveMany(contracts.listFlagCreators, projectViews.listFlagCreators);
  serve(contracts.listOwnFlags, projectViews.listOwnFlags);
  serve(contracts.getFlagsLimits, async ({ limits }) => toFlagsLimits(limits));
  serve(contracts.addStrategy, addStrategy);
  serve(contracts.listStrategies, listStrategies);
  serve(contracts.getStrategy, getStrategy);
  serve(contracts.updateStrategy, updateStrategy);
  serve(contracts.patchStrategy, patchStrategy);
  serve(contracts.deleteStrategy, deleteStrategy);
  serve(contracts.setStrategyOrder, setStrategyOrder);
  serve(contracts.setStrategySegments, setStrategySegments);
  serveMany(contracts.listStrategiesByContextField, listStrategiesByContextField);
  serve(contracts.validateConstraint, validateConstraint);
  serveMany(contracts.listStrategyTypes, listStrategyTypes);
  serve(contracts.getStrategyType, getStrategyType);
  serve(contracts.createStrategyType, createStrategyType);
  serve(contracts.updateStrategyType, updateStrategyType);
  serve(contracts.deleteStrategyType, deleteStrategyType);
  serve(contracts.setStrategyTypeDeprecated, setStrategyTypeDeprecated);
  serve(contracts.listRevisions, listRevisions);
  serveMany(contracts.fetchSnapshot, fetchSnapshot);
  serveOutbox(resources.bus, resources.db);
}
