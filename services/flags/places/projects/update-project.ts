import type { ServedContext } from '@yardarm/shared/bus';
import type {
  updateProject as contract,
  updateProjectSettings as settingsContract,
} from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { changeProjectProperties } from './change-project-properties.ts';
import { checkedFeatureNaming } from './feature-naming.ts';

export async function updateProject(
  resources: FlagsResources,
  { projectId, mode: _, ...properties }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await changeProjectProperties(resources, projectId, properties, context);
}

export async function updateProjectSettings(
  resources: FlagsResources,
  { projectId, featureNaming, linkTemplates, featureLimit }: z.output<typeof settingsContract.input>,
  context: ServedContext,
): Promise<void> {
  const checked = featureNaming && checkedFeatureNaming(featureNaming);
  await changeProjectProperties(resources, projectId, { featureNaming: checked, linkTemplates, featureLimit }, context);
}
