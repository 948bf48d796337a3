import type { ImportedFeatures } from '@yardarm/shared/contracts/flags';
import { checkLegalValues } from '../targeting/context-fields/context-field.ts';
import type { LegalValues } from '../targeting/strategies/constraint.ts';
import type { ImportTarget } from './import-target.ts';
import type { Problems } from './problems.ts';

export interface NewDefinitions {
  contextFields: ImportedFeatures['contextFields'];
  tagTypes: ImportedFeatures['tagTypes'];
}

/** The context fields and tag types of the document that do not exist. Those that exist stay as they are. */
export function plannedDefinitions(data: ImportedFeatures, target: ImportTarget, problems: Problems): NewDefinitions {
  const contextFields = distinctBy(data.contextFields.filter(({ name }) => !target.contextFields.has(name)));
  for (const { name, legalValues } of contextFields) {
    problems.check('These context fields are invalid:', name, () => checkLegalValues(legalValues));
  }
  for (const { name, legalValues } of data.contextFields) {
    const legal = target.contextFields.get(name) ?? [];
    if (legal.length > 0 && legalValues.some(({ value }) => !legal.includes(value))) {
      problems.add('These context fields exist without all legal values of the document:', name);
    }
  }
  return { contextFields, tagTypes: distinctBy(data.tagTypes.filter(({ name }) => !target.tagTypes.has(name))) };
}

export function legalValuesWith({ contextFields }: NewDefinitions, target: ImportTarget): LegalValues {
  const added = contextFields
    .filter(({ legalValues }) => legalValues.length > 0)
    .map(({ name, legalValues }) => [name, legalValues.map(({ value }) => value)] as const);
  return new Map([...target.definitions.legalValues, ...added]);
}

function distinctBy<Named extends { name: string }>(items: readonly Named[]): Named[] {
  return [...new Map(items.map((item) => [item.name, item])).values()];
}
