import type { NewStrategy, StrategyTypeParameter } from '@yardarm/shared/contracts/flags';
import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { findLegalValues } from './constraints.repo.ts';
import type { Definitions } from './definitions.ts';
import { isBuiltIn } from './known-strategies.ts';

type Trx = Transaction<FlagsTables>;
type Referring = Pick<NewStrategy, 'name' | 'segments' | 'constraints'>;

/**
 * What the strategies of a project's flags refer to. It stays until the commit: whoever deletes a segment, a type or a
 * context field locks its row for update. The caller has locked the flags. A strategy that refers to nothing costs no
 * statement.
 */
export async function findDefinitions(
  trx: Trx,
  strategies: readonly Referring[],
  project: string,
): Promise<Definitions> {
  const ids = strategies.flatMap(({ segments }) => segments);
  const names = strategies.map(({ name }) => name).filter((name) => !isBuiltIn(name));
  return {
    segments: await findUsableSegments(trx, ids, project),
    types: await findCustomTypes(trx, names),
    legalValues: await findLegalValues(
      trx,
      strategies.flatMap(({ constraints }) => constraints),
    ),
  };
}

async function findUsableSegments(trx: Trx, ids: readonly number[], project: string): Promise<Set<number>> {
  // Postgres refuses an array with a number that is no integer of its own.
  const possible = ids.filter((id) => id > 0 && id <= 2_147_483_647);
  if (possible.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    select id from segments
    where id = any(${possible}::integer[]) and (project is null or project = ${project})
    order by id
    for key share`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

async function findCustomTypes(trx: Trx, names: readonly string[]): Promise<Definitions['types']> {
  if (names.length === 0) return new Map();
  const { rows } = await sql<{ name: string; parameters: StrategyTypeParameter[] }>`
    select name, parameters from strategy_types where name = any(${[...new Set(names)]}::text[])
    order by name
    for key share`.execute(trx);
  return new Map(rows.map(({ name, parameters }) => [name, parameters]));
}
