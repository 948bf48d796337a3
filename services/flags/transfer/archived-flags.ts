import type { ImportedFeatures, ImportProblem } from '@yardarm/shared/contracts/flags';
import type { StoredFeature } from '../features/feature.ts';
import type { ReadDocument } from './import-document.ts';
import type { ImportTarget } from './import-target.ts';

/** What an import does of a document, and the flags that it leaves out, each with the reason. */
export interface ImportableDocument {
  document: ReadDocument;
  leftOut: ImportProblem[];
}

/**
 * Leaves out the flags that are archived, in the document or in the project, with all that belongs to them. As in the
 * public product, the import of the other flags goes on.
 */
export function leaveOutArchived(document: ReadDocument, { features, project }: ImportTarget): ImportableDocument {
  const archivedThere = new Set(document.archivedFlags);
  const archivedHere = document.data.features
    .map(({ name }) => name)
    .filter((name) => !archivedThere.has(name) && isArchivedIn(project.id, features.get(name)));
  const names = archivedThere.union(new Set(archivedHere));
  if (names.size === 0) return { document, leftOut: [] };
  const leftOut = [
    {
      message: 'These flags are archived in the project and will not be imported. Revive them first:',
      affectedItems: archivedHere,
    },
    {
      message: 'These flags are archived in the document and will not be imported:',
      affectedItems: [...archivedThere],
    },
  ];
  return {
    document: { ...document, data: without(document.data, names) },
    leftOut: leftOut.filter(({ affectedItems }) => affectedItems.length > 0),
  };
}

function isArchivedIn(project: string, feature: StoredFeature | undefined): boolean {
  return feature?.project === project && feature.archivedAt !== null;
}

function without(data: ImportedFeatures, names: ReadonlySet<string>): ImportedFeatures {
  return {
    ...data,
    features: data.features.filter(({ name }) => !names.has(name)),
    featureStrategies: data.featureStrategies.filter(({ featureName }) => !names.has(featureName)),
    featureEnvironments: data.featureEnvironments.filter(
      ({ featureName, name }) => !names.has(featureName ?? name ?? ''),
    ),
    featureTags: data.featureTags.filter(({ featureName }) => !names.has(featureName)),
    dependencies: data.dependencies.filter(({ feature }) => !names.has(feature)),
    links: data.links.filter(({ feature }) => !names.has(feature)),
  };
}
