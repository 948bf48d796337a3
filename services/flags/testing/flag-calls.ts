import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import type { FlagsRig } from './flags-rig.ts';

const projectId = 'default';

/** May create flags, and update those of the project `default`. */
export const editor: Actor = {
  kind: 'user',
  id: 7,
  username: 'ed',
  name: 'Ed Itor',
  email: 'ed@example.com',
  grants: [{ permissions: ['CREATE_FEATURE'] }, { permissions: ['UPDATE_FEATURE'], projects: [projectId] }],
};

type Strategy = { name: string } & Record<string, unknown>;

/** The requests that most tests of flags make, in the project `default`. */
export function flagCalls(rigOf: () => FlagsRig) {
  let flagCount = 0;
  const ask: FlagsRig['ask'] = (...request) => rigOf().ask(...request);
  return {
    /** Makes a flag with a new name, and returns the name. */
    async newFlag(properties: Record<string, unknown> = {}): Promise<string> {
      flagCount += 1;
      const name = `flag.${flagCount}`;
      await ask(contracts.createFeature, { projectId, name, ...properties });
      return name;
    },
    get: (featureName: string) => ask(contracts.getFeature, { projectId, featureName }),
    patch(featureName: string, changes: Record<string, unknown>, actor?: Actor) {
      const operations = Object.entries(changes).map(([name, value]) => ({
        ...{ op: 'replace' as const, path: `/${name}`, value },
      }));
      return ask(contracts.patchFeature, { projectId, featureName, operations }, actor);
    },
    switchFlag: (featureName: string, environment: string, enabled: boolean) =>
      ask(contracts.switchEnvironment, { projectId, featureName, environment, enabled }),
    add: (featureName: string, strategy: Strategy, environment = 'development') =>
      ask(contracts.addStrategy, { projectId, featureName, environment, strategy }),
    async typesOf(featureName: string): Promise<string[]> {
      return (await rigOf().events(featureName)).map(({ type }) => type);
    },
    /** The revision of the project in each environment. */
    async revisions() {
      const { environments } = await ask(contracts.listRevisions, {});
      return {
        development: environments.development?.default ?? -1,
        production: environments.production?.default ?? -1,
      };
    },
  };
}

const environment = 'development';

interface StrategiesPlace {
  projectId: string;
  featureName: string;
  environment: string;
}

/** The requests that most tests of strategies make, in the environment `development` of the project `default`. */
export function strategyCalls(rigOf: () => FlagsRig) {
  const stored = (place: StrategiesPlace) => rigOf().ask(contracts.listStrategies, place);
  return {
    /** Makes a flag with these strategies. */
    async newFlag(...strategies: Strategy[]) {
      const featureName = `flag.${randomUUID()}`;
      await rigOf().ask(contracts.createFeature, { projectId, name: featureName });
      const place = { projectId, featureName, environment };
      const ids = [];
      for (const strategy of strategies)
        ids.push((await rigOf().ask(contracts.addStrategy, { ...place, strategy })).id);
      return { place, featureName, ids, first: { ...place, strategyId: ids[0] ?? '' } };
    },
    stored,
    list: async (place: StrategiesPlace) => (await stored(place)).strategies,
    turnOn: (featureName: string) =>
      rigOf().ask(contracts.switchEnvironment, { projectId, featureName, environment, enabled: true }),
    lastEvents: async (featureName: string, count: number) => (await rigOf().events(featureName)).slice(-count),
    async revision(): Promise<number> {
      return (await rigOf().ask(contracts.listRevisions, {})).environments[environment]?.[projectId] ?? 0;
    },
    async newSegment(project: string | null = null): Promise<number> {
      const row = await rigOf()
        .db.kysely.insertInto('segments')
        .values({ name: randomUUID(), description: null, project, constraints: '[]', created_by: 'test' })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },
  };
}
