// Proves that a large environment is read in pieces.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';

type Known = { epoch: string; revisions: Record<string, number> };

const environment = 'development';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const fetchPieces = (known: Known | null, where = environment) =>
  rig.askMany(contracts.fetchSnapshot, { environment: where, known });

describe('a large environment', () => {
  it('of 3,000 flags is sent in several pieces, each well below the size of a message, complete and in order', async () => {
    await sql`insert into projects (id, name) values ('large', 'Large')`.execute(rig.db.kysely);
    await sql`insert into project_environments (project, environment) values ('large', 'production')`.execute(
      rig.db.kysely,
    );
    await sql`insert into revisions (environment, project, revision) values ('production', 'large', 1)`.execute(
      rig.db.kysely,
    );
    await sql`
      insert into features (name, project, type, description, impression_data, created_by_user_id)
      select 'large-' || lpad(n::text, 4, '0'), 'large', 'release', repeat('x', 300), false, 1
      from generate_series(1, 3000) as n`.execute(rig.db.kysely);
    await sql`
      insert into feature_environments (feature_name, environment, project, revision)
      select name, 'production', 'large', 1 from features where project = 'large'`.execute(rig.db.kysely);

    const pieces = await fetchPieces(null, 'production');
    expect(pieces.length).toBeGreaterThan(3);
    for (const piece of pieces) expect(JSON.stringify(piece).length).toBeLessThan(300_000);
    const names = pieces.flatMap(({ changed }) => changed.map(({ feature }) => feature.name));
    expect(names).toEqual([...names].sort());
    expect(names.filter((name) => name.startsWith('large-'))).toHaveLength(3000);
  });
});
