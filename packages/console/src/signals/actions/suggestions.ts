import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { featureQuery, featuresQuery } from '../../api/queries.ts';
import { inWords } from '../../flag/strategy-words.ts';
import type { ActionDraft } from './draft.ts';

interface Suggestion {
  value: string;
  words?: string;
}

/** A value that depends on the payload names no flag yet. */
const isKnown = (value: string | undefined): value is string =>
  value !== undefined && value !== '' && !value.includes('{{');

/** The values that a parameter of an action can have, as far as they are known. */
export function useSuggestions(
  projectId: string,
  name: string,
  { featureName, environment }: ActionDraft['parameters'],
  options: readonly string[] | undefined,
): Suggestion[] {
  const isFlag = name === 'featureName';
  const isStrategy = name === 'strategyId';
  const typed = isKnown(featureName) ? featureName : undefined;
  const flags = useInfiniteQuery({ ...featuresQuery({ project: `IS:${projectId}`, query: typed }), enabled: isFlag });
  const flag = useQuery({
    ...featureQuery(projectId, featureName ?? ''),
    enabled: isStrategy && isKnown(featureName),
    retry: false,
  });
  if (isFlag) {
    return (flags.data?.pages ?? []).flatMap(({ features }) => features.map((feature) => ({ value: feature.name })));
  }
  if (isStrategy) {
    const strategies = flag.data?.environments.find((each) => each.name === environment)?.strategies ?? [];
    return strategies.map((strategy) => ({ value: strategy.id, words: strategy.title || inWords(strategy) }));
  }
  return (options ?? []).map((value) => ({ value }));
}
