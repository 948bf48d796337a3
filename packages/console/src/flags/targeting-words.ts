import type { Schemas } from '../api/client.ts';
import { constraintInWords } from '../flag/strategy-words.ts';

type Targeting = Schemas['targetingSummarySchema'];
type Strategy = Targeting['strategies'][number];

function strategyInWords({ name, title, rollout, constraints, constraintCount, segmentCount }: Strategy): string {
  if (title) return title;
  const who =
    rollout === null ? (name === 'default' ? 'everybody' : name) : rollout === '100' ? 'everybody' : `${rollout} %`;
  const more = constraintCount - constraints.length + segmentCount;
  const conditions = [
    ...constraints.map(constraintInWords),
    ...(more > 0
      ? [constraints.length > 0 ? `${more} more` : `${more} ${more === 1 ? 'condition' : 'conditions'}`]
      : []),
  ];
  return conditions.length === 0 ? who : `${who} where ${conditions.join(' and ')}`;
}

/** For whom a flag is on in an environment, as in `25 % where country is NO; everybody`. */
export function targetingInWords({ strategyCount, strategies }: Targeting): string {
  const rest = strategyCount - strategies.length;
  return [...strategies.map(strategyInWords), ...(rest > 0 ? [`${rest} more`] : [])].join('; ');
}
