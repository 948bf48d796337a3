import { type Answer, encodeAnswer, type ServedContext, serveUseCases } from '@yardarm/shared/bus';
import type { RequestContract } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { serveOutbox } from '@yardarm/shared/db';
import { TimeSlicer } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import { fetchSnapshot, listRevisions } from './changes/snapshots/snapshots.handlers.ts';
import { executeStep } from './changes/steps/execute-step.ts';
import { validateArchiveFeatures } from './features/archive/archive.handlers.ts';
import { archiveFeature, archiveFeatures } from './features/archive/archive-features.ts';
import { deleteFeature, deleteFeatures } from './features/archive/delete-features.ts';
import { reviveFeature, reviveFeatures } from './features/archive/revive-features.ts';
import { changeProject } from './features/change-project.ts';
import { cloneFeature } from './features/clone-feature.ts';
import { createFeature } from './features/create-feature.ts';
import { addDependency } from './features/dependencies/add-dependency.ts';
import { deleteDependencies, deleteDependency } from './features/dependencies/delete-dependencies.ts';
import {
  checkDependenciesExist,
  listParentOptions,
  listParentVariantOptions,
} from './features/dependencies/dependencies.handlers.ts';
import { addFavoriteFeature, removeFavoriteFeature } from './features/favorites/favorite-feature.ts';
import { updateLifetime } from './features/feature-types/update-lifetime.ts';
import { getFeature, getFeatureEnvironment, listFeatures } from './features/features.handlers.ts';
import { completeFeature } from './features/lifecycle/complete-feature.ts';
import { countFeaturesByStage, getLifecycle } from './features/lifecycle/lifecycle.handlers.ts';
import { uncompleteFeature } from './features/lifecycle/uncomplete-feature.ts';
import { createLink } from './features/links/create-link.ts';
import { deleteLink } from './features/links/delete-link.ts';
import { updateLink } from './features/links/update-link.ts';
import { staleFeatures } from './features/mark-stale.ts';
import { patchFeature } from './features/patch-feature.ts';
import { searchFeatures, turnsOfTextSearches } from './features/search/search-features.ts';
import { createTagType } from './features/tag-types/create-tag-type.ts';
import { deleteTagType } from './features/tag-types/delete-tag-type.ts';
import { ensureTagTypes } from './features/tag-types/ensure-tag-types.ts';
import { getTagType, listTagTypes, validateTagType } from './features/tag-types/tag-types.handlers.ts';
import { updateTagType } from './features/tag-types/update-tag-type.ts';
import {
  addFeatureTag,
  removeFeatureTag,
  updateFeatureTags,
  updateTagsOfFeatures,
} from './features/tags/change-feature-tags.ts';
import { createTag } from './features/tags/create-tag.ts';
import { deleteTag } from './features/tags/delete-tag.ts';
import { getTag, listFeatureTags, listTags } from './features/tags/tags.handlers.ts';
import { updateFeature } from './features/update-feature.ts';
import { validateFeature } from './features/validate-feature.ts';
import { cloneEnvironment } from './places/environments/clone-environment.ts';
import { createEnvironment } from './places/environments/create-environment.ts';
import { deleteEnvironment } from './places/environments/delete-environment.ts';
import { enableEnvironment } from './places/environments/enable-environment.ts';
import {
  getEnvironment,
  listEnvironmentNames,
  listEnvironments,
  validateEnvironmentName,
} from './places/environments/environments.handlers.ts';
import { sortEnvironments } from './places/environments/sort-environments.ts';
import { switchEnvironment } from './places/environments/switch-environment.ts';
import { switchFeatures } from './places/environments/switch-features.ts';
import { updateEnvironment } from './places/environments/update-environment.ts';
import { toFlagsLimits } from './places/limits/limits.ts';
import { addProjectEnvironment } from './places/project-environments/add-project-environment.ts';
import {
  configureChangeRequests,
  listProjectEnvironments,
} from './places/project-environments/project-environments.handlers.ts';
import { removeProjectEnvironment } from './places/project-environments/remove-project-environment.ts';
import { setDefaultStrategy } from './places/project-environments/set-default-strategy.ts';
import { archiveProject, reviveProject } from './places/projects/archive-project.ts';
import { createProject } from './places/projects/create-project.ts';
import { deleteProject } from './places/projects/delete-project.ts';
import { addFavoriteProject, removeFavoriteProject } from './places/projects/favorite-project.ts';
import * as projectViews from './places/projects/project-views.handlers.ts';
import {
  findMissingProjectsAndEnvironments,
  listProjectIds,
  validateProject,
} from './places/projects/projects.handlers.ts';
import { updateProject, updateProjectSettings } from './places/projects/update-project.ts';
import { ReadTurns, type Turns } from './read-turns.ts';
import type { FlagsResources } from './resources.ts';
import {
  getContextField,
  getContextFieldOfProject,
  listContextFields,
  listContextFieldsOfProject,
  validateContextField,
  validateContextFieldOfProject,
} from './targeting/context-fields/context-fields.handlers.ts';
import { createContextField, createContextFieldOfProject } from './targeting/context-fields/create-context-field.ts';
import { deleteContextField } from './targeting/context-fields/delete-context-field.ts';
import {
  deleteLegalValue,
  setLegalValue,
  updateContextField,
} from './targeting/context-fields/update-context-field.ts';
import { evaluatePlayground } from './targeting/playground/evaluate-playground.ts';
import { createSegment } from './targeting/segments/create-segment.ts';
import { deleteSegment } from './targeting/segments/delete-segment.ts';
import {
  getSegment,
  listSegments,
  listSegmentsOfStrategy,
  listStrategiesOfSegment,
  validateSegmentName,
} from './targeting/segments/segments.handlers.ts';
import { updateSegment } from './targeting/segments/update-segment.ts';
import { addStrategy } from './targeting/strategies/add-strategy.ts';
import { patchStrategy, updateStrategy } from './targeting/strategies/change-strategy.ts';
import { validateConstraint } from './targeting/strategies/check-constraints.ts';
import { deleteStrategy } from './targeting/strategies/delete-strategy.ts';
import { setStrategyOrder } from './targeting/strategies/set-strategy-order.ts';
import { setStrategySegments } from './targeting/strategies/set-strategy-segments.ts';
import {
  getStrategy,
  listStrategies,
  listStrategiesByContextField,
} from './targeting/strategies/strategies.handlers.ts';
import { createStrategyType } from './targeting/strategy-types/create-strategy-type.ts';
import { deleteStrategyType } from './targeting/strategy-types/delete-strategy-type.ts';
import { getStrategyType, listStrategyTypes } from './targeting/strategy-types/strategy-types.handlers.ts';
import { setStrategyTypeDeprecated, updateStrategyType } from './targeting/strategy-types/update-strategy-type.ts';
import { patchVariants, replaceVariants, replaceVariantsInEnvironments } from './targeting/variants/change-variants.ts';
import { listVariants } from './targeting/variants/variants.handlers.ts';
import { exportFeatures } from './transfer/export-features.ts';
import { discardImportParts, storeImportPart } from './transfer/import-document.ts';
import { importFeatures } from './transfer/import-features.ts';
import { validateImport } from './transfer/validate-import.ts';
import {
  deleteApplication,
  getApplication,
  getApplicationDetail,
  getApplicationOverview,
  listApplicationInstances,
  listApplications,
  listOutdatedSdks,
  listProjectApplications,
} from './usage/applications/applications.handlers.ts';
import { describeApplication } from './usage/applications/describe-application.ts';
import { getTrendsOfLifecycle, listTrendsOfWeeks } from './usage/insights/insights.handlers.ts';
import { countFlags } from './usage/instance-counts/instance-counts.handlers.ts';
import { reportUsage } from './usage/report-usage.ts';
import { getUsageSummary, listUnknownFlags, listUsage } from './usage/usage.handlers.ts';

type UseCaseAnswer<C extends RequestContract> = Extract<Answer<C>, Promise<unknown>>;

export function serveFlags(resources: FlagsResources): void {
  // Without a limit, or with one of its own.
  const { serve: serveAsItIs } = serveUseCases(resources);
  const readTurns = new ReadTurns(resources);

  /** Serves a request. Reads of callers take the turns of `turnsOf`, by default those of all reads. */
  function serve<C extends RequestContract>(
    contract: C,
    useCase: (resources: FlagsResources, input: z.output<C['input']>, context: ServedContext) => UseCaseAnswer<C>,
    turnsOf: (input: z.output<C['input']>) => Turns = () => readTurns.of(contract.name),
  ): void {
    serveAsItIs(contract, (own, input, context): UseCaseAnswer<C> => {
      const run = () => useCase(own, input, context);
      if (contract.writes || context.actor === null) return run();
      const slicer = new TimeSlicer(context);
      // Its encoding is a part of the read: it may take as long.
      const read = async () =>
        encodeAnswer(contract, (await run()) as z.input<C['output']> | undefined, () => slicer.next());
      // The type checker does not know that a promise of an answer is one of this contract's.
      return turnsOf(input).run(context, read) as UseCaseAnswer<C>;
    });
  }

  serve(contracts.createFeature, createFeature);
  serve(contracts.getFeature, getFeature);
  serveAsItIs(contracts.listFeatures, listFeatures);
  const searchTurns = readTurns.of(contracts.searchFeatures.name);
  const textTurns = turnsOfTextSearches(resources);
  serve(contracts.searchFeatures, searchFeatures, ({ texts }) => (texts === undefined ? searchTurns : textTurns));
  serveAsItIs(contracts.exportFeatures, exportFeatures);
  serve(contracts.storeImportPart, storeImportPart);
  serve(contracts.discardImportParts, discardImportParts);
  serveAsItIs(contracts.validateImport, validateImport);
  serve(contracts.importFeatures, importFeatures);
  serve(contracts.patchFeature, patchFeature);
  serve(contracts.updateFeature, updateFeature);
  serve(contracts.validateFeature, validateFeature);
  serve(contracts.staleFeatures, staleFeatures);
  serve(contracts.cloneFeature, cloneFeature);
  serve(contracts.changeProject, changeProject);
  serve(contracts.getFeatureEnvironment, getFeatureEnvironment);
  serve(contracts.archiveFeature, archiveFeature);
  serve(contracts.archiveFeatures, archiveFeatures);
  serve(contracts.validateArchiveFeatures, validateArchiveFeatures);
  serve(contracts.reviveFeature, reviveFeature);
  serve(contracts.reviveFeatures, reviveFeatures);
  serve(contracts.deleteFeature, deleteFeature);
  serve(contracts.deleteFeatures, deleteFeatures);
  serve(contracts.switchFeatures, switchFeatures);
  serve(contracts.executeStep, executeStep);
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
  serve(contracts.getUsageSummary, getUsageSummary);
  serve(contracts.listUsage, listUsage);
  serve(contracts.listUnknownFlags, listUnknownFlags);
  serve(contracts.listApplications, listApplications);
  serve(contracts.getApplication, getApplication);
  serve(contracts.getApplicationDetail, getApplicationDetail);
  serve(contracts.countFlags, countFlags);
  serve(contracts.getLifecycleTrends, getTrendsOfLifecycle);
  serve(contracts.listWeeklyTrends, listTrendsOfWeeks);
  serve(contracts.describeApplication, describeApplication);
  serve(contracts.deleteApplication, deleteApplication);
  serve(contracts.getApplicationOverview, getApplicationOverview);
  serve(contracts.listApplicationInstances, listApplicationInstances);
  serve(contracts.listProjectApplications, listProjectApplications);
  serve(contracts.listOutdatedSdks, listOutdatedSdks);
  serve(contracts.updateFeatureTypeLifetime, updateLifetime);
  serve(contracts.listVariants, listVariants);
  serve(contracts.replaceVariants, replaceVariants);
  serve(contracts.patchVariants, patchVariants);
  serve(contracts.replaceVariantsInEnvironments, replaceVariantsInEnvironments);
  serve(contracts.addDependency, addDependency);
  serve(contracts.deleteDependency, deleteDependency);
  serve(contracts.deleteDependencies, deleteDependencies);
  serve(contracts.listParentOptions, listParentOptions);
  serve(contracts.listParentVariantOptions, listParentVariantOptions);
  serve(contracts.checkDependenciesExist, checkDependenciesExist);
  serve(contracts.validateSegmentName, validateSegmentName);
  serve(contracts.createSegment, createSegment);
  serve(contracts.listSegments, listSegments);
  serve(contracts.getSegment, getSegment);
  serve(contracts.updateSegment, updateSegment);
  serve(contracts.deleteSegment, deleteSegment);
  serve(contracts.listStrategiesOfSegment, listStrategiesOfSegment);
  serve(contracts.listSegmentsOfStrategy, listSegmentsOfStrategy);
  serve(contracts.switchEnvironment, switchEnvironment);
  serveAsItIs(contracts.evaluatePlayground, evaluatePlayground);
  serve(contracts.listTags, listTags);
  serve(contracts.getTag, getTag);
  serve(contracts.createTag, createTag);
  serve(contracts.deleteTag, deleteTag);
  serve(contracts.listFeatureTags, listFeatureTags);
  serve(contracts.addFeatureTag, addFeatureTag);
  serve(contracts.updateFeatureTags, updateFeatureTags);
  serve(contracts.removeFeatureTag, removeFeatureTag);
  serve(contracts.updateTagsOfFeatures, updateTagsOfFeatures);
  serve(contracts.listTagTypes, listTagTypes);
  serve(contracts.getTagType, getTagType);
  serve(contracts.validateTagType, validateTagType);
  serve(contracts.ensureTagTypes, ensureTagTypes);
  serve(contracts.createTagType, createTagType);
  serve(contracts.updateTagType, updateTagType);
  serve(contracts.deleteTagType, deleteTagType);
  serve(contracts.listContextFields, listContextFields);
  serve(contracts.listContextFieldsOfProject, listContextFieldsOfProject);
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
  serve(contracts.listEnvironments, listEnvironments);
  serve(contracts.getEnvironment, getEnvironment);
  serve(contracts.createEnvironment, createEnvironment);
  serve(contracts.validateEnvironmentName, validateEnvironmentName);
  serve(contracts.updateEnvironment, updateEnvironment);
  serve(contracts.enableEnvironment, enableEnvironment);
  serve(contracts.sortEnvironments, sortEnvironments);
  serve(contracts.deleteEnvironment, deleteEnvironment);
  serve(contracts.cloneEnvironment, cloneEnvironment);
  serve(contracts.listProjectEnvironments, listProjectEnvironments);
  serve(contracts.addProjectEnvironment, addProjectEnvironment);
  serve(contracts.configureChangeRequests, configureChangeRequests);
  serve(contracts.removeProjectEnvironment, removeProjectEnvironment);
  serve(contracts.setDefaultStrategy, setDefaultStrategy);
  serve(contracts.listProjectIds, listProjectIds);
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
  serve(contracts.listProjects, projectViews.listProjects);
  serve(contracts.getProjectOverview, projectViews.getProjectOverview);
  serve(contracts.getProjectHealth, projectViews.getProjectHealth);
  serve(contracts.listReleases, projectViews.listReleases);
  serve(contracts.getProjectStatus, projectViews.getProjectStatus);
  serve(contracts.listFlagCreators, projectViews.listFlagCreators);
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
  serveAsItIs(contracts.listStrategiesByContextField, listStrategiesByContextField);
  serve(contracts.validateConstraint, validateConstraint);
  serveAsItIs(contracts.listStrategyTypes, listStrategyTypes);
  serve(contracts.getStrategyType, getStrategyType);
  serve(contracts.createStrategyType, createStrategyType);
  serve(contracts.updateStrategyType, updateStrategyType);
  serve(contracts.deleteStrategyType, deleteStrategyType);
  serve(contracts.setStrategyTypeDeprecated, setStrategyTypeDeprecated);
  serve(contracts.listRevisions, listRevisions);
  serveAsItIs(contracts.fetchSnapshot, fetchSnapshot);
  serveOutbox(resources.bus, resources.db);
}
