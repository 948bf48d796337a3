// Proves that a large environment is read in frames.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { fetchSnapshot } from './snapshots.handlers.ts';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

describe('a large environment', () => {
  it('of 3,000 flags is sent in several frames, each well below the size of a message, complete and in order', async () => {
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

    const input = { environment: 'production', known: null };
    const frames = await Array.fromAsync(fetchSnapshot(rig as never, input));
    expect(frames.length).toBeGreaterThan(3);
    const [{ epoch, revisions, isWhole }] = frames as [(typeof frames)[0]];
    for (const frame of frames) {
      expect(JSON.stringify(frame).length).toBeLessThan(300_000);
      expect(frame).toMatchObject({ epoch, revisions, isWhole });
    }
    const { changed } = await rig.ask(contracts.fetchSnapshot, input);
    expect(changed).toEqual(frames.flatMap((frame) => frame.changed));
    const names = changed.map(({ feature }) => feature.name);
    expect(names).toEqual([...names].sort());
    expect(names.filter((name) => name.startsWith('large-'))).toHaveLength(3000);
  });
});
