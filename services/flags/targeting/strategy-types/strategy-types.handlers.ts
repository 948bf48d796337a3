import { pieceLimits, splitIntoPieces } from '@yardarm/shared/bus';
import type { StrategyType } from '@yardarm/shared/contracts/flags';
import type { FlagsResources } from '../../resources.ts';
import { builtInTypes } from '../strategies/known-strategies.ts';
import { strategyTypeNotFound, toStrategyType } from './strategy-type.ts';
import { findStrategyType, listStrategyTypesAfter } from './strategy-types.repo.ts';

/** One read, so that many types need little memory. */
const maxTypesPerRead = 100;

/** The built-in types, then the custom ones by name. Each read is at its own moment. */
export async function* listStrategyTypes({ db }: FlagsResources): AsyncGenerator<{ strategies: StrategyType[] }> {
  yield { strategies: [...builtInTypes] };
  let after = '';
  for (;;) {
    const types = await listStrategyTypesAfter(db.kysely, after, maxTypesPerRead);
    for (const strategies of splitIntoPieces(types.map(toStrategyType), pieceLimits)) yield { strategies };
    const last = types.at(-1);
    if (last === undefined || types.length < maxTypesPerRead) return;
    after = last.name;
  }
}

export async function getStrategyType({ db }: FlagsResources, { name }: { name: string }): Promise<StrategyType> {
  const builtIn = builtInTypes.find((type) => type.name === name);
  if (builtIn) return builtIn;
  const type = await findStrategyType(db.kysely, name);
  if (type === null) throw strategyTypeNotFound(name);
  return toStrategyType(type);
}
