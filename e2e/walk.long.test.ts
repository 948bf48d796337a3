// From an empty system, every field that the API can write of flags and what belongs to them gets two values. Each is
// found wherever it appears: in the views of administrators, the listings of SDKs, events and searches.
import { addPerson, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApi } from './walk/api.ts';
import { definitionWalks } from './walk/definition-walks.ts';
import { detailWalks, makeSegments } from './walk/detail-walks.ts';
import { flagWalks } from './walk/flag-walks.ts';
import { placeWalks } from './walk/place-walks.ts';
import { relationWalks } from './walk/relation-walks.ts';
import { transferWalk } from './walk/transfer-walk.ts';
import { takeWalk, type Walk, type WalkContext } from './walk/walk.ts';

const tags = [
  ...['Features', 'Context', 'Tags', 'Strategies', 'Segments', 'Dependencies', 'Environments', 'Archive'],
  ...['Import/Export', 'Feature types', 'Projects', 'Metrics'],
];

/** The operations whose bodies have no fields that a view shows. */
const withoutFields = [
  // It stores nothing: there are no change requests.
  'updateProjectChangeRequestConfig',
  // They only check.
  ...['validateConstraint', 'validateFeature', 'validateArchiveFeatures', 'validateProject', 'validateImport'],
  ...['validateTagType', 'validateContextFieldName', 'validateContextFieldNameForProject', 'validateSegment'],
  'validateEnvironmentName',
  // They name flags or what a patch changes; a walk of the same change sends the patch.
  ...['archiveFeatures', 'reviveFeatures', 'deleteFeatures', 'bulkToggleFeaturesEnvironmentOn'],
  ...['bulkToggleFeaturesEnvironmentOff', 'patchFeature', 'patchFeatureStrategy', 'patchEnvironmentsFeatureVariants'],
  // The walk of an import has the fields of its contract. An export only reads. Sort orders have environments as keys.
  ...['exportFeatures', 'importToggles', 'updateSortOrder'],
  // accounts answers them.
  ...['addAccessToProject', 'setProjectAccess', 'addRoleAccessToProject', 'setRolesForUser', 'setRolesForGroup'],
];

/** The operations that show no written field. */
const withoutViews = [
  // They count, or name other flags.
  ...['getProjectStatus', 'getProjectInsights', 'getProjectHealthReport', 'getProjectDora'],
  ...['getFeatureLifecycleStageCount', 'checkDependenciesExist', 'listParentOptions'],
  ...[
    'getStrategiesBySegmentId',
    'getProjectFlagCreators',
    'getFlagCreators',
    'getPersonalDashboard',
    'getPersonalDashboardProjectDetails',
  ],
  // They show what SDKs report.
  ...['getFeatureUsageSummary', 'getRawFeatureMetrics', 'getApplicationOverview', 'getApplicationEnvironmentInstances'],
  ...['getOutdatedSdks', 'getOutdatedProjectSdks', 'getUnknownFlags', 'getProjectApplications', 'getRequestsPerSecond'],
  ...['getTrafficDataUsageForPeriod', 'getTrafficBundles', 'getConnectedEdges'],
  // It sends what getDelta answers.
  'streamFeatures',
  // accounts answers it.
  'getProjectAccess',
];

let system: TestSystem;
let context: WalkContext;
let segments: number[];

beforeAll(async () => {
  system = await startSystem();
  context = { system, api: await openApi(system), person: (await addPerson(system, 1)).token };
  segments = await makeSegments(context);
  await context.api.call('createProject', {}, { body: { id: 'elsewhere', name: 'Elsewhere' } });
});
afterAll(() => system?.stop());

const groups: Record<string, () => Walk[]> = {
  flags: () => flagWalks(context),
  'strategies and variants': () => detailWalks(context, segments),
  'dependencies, links, orders and tags': () => relationWalks(context, segments),
  'what flags refer to': () => definitionWalks(context),
  'projects and environments': () => placeWalks(context, segments),
  'an import': () => [transferWalk(context)],
};

test('every operation with fields is walked', () => {
  const walks = Object.values(groups).flatMap((group) => group());
  const walked = new Set([...withoutFields, ...walks.flatMap(({ operations }) => operations)]);
  const writes = [...context.api.operations].filter(([, { tag, body }]) => tags.includes(tag) && body !== null);
  expect(writes.map(([name]) => name).filter((name) => !walked.has(name))).toEqual([]);
});

// A group sends some hundred requests, which takes a minute on a machine under load.
test.each(Object.entries(groups))(
  'every view has both values of %s',
  async (_, group) => {
    const failures: Record<string, unknown> = {};
    for (const walk of group()) {
      await takeWalk(context, walk).catch(({ message, actual, expected }) => {
        failures[walk.name] = { message, actual, expected };
      });
    }
    expect(failures).toEqual({});
  },
  180_000,
);

test('every operation that shows written fields was read', () => {
  const reads = [...context.api.operations].filter(
    ([, { method, tag }]) => method === 'GET' && [...tags, 'Client', 'Search'].includes(tag),
  );
  const read = new Set([...withoutViews, ...context.api.called]);
  expect(reads.map(([name]) => name).filter((name) => !read.has(name))).toEqual([]);
});
