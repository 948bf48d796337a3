import { circles } from './cycles.ts';
import type { Import, Package, Tree } from './imports.ts';
import { packageOf } from './imports.ts';

/** One article of the law: which imports break it, and the sentence that says why it stands. */
export interface Rule {
  name: string;
  reason: string;
  breaks(imported: Import, packages: Package[]): boolean;
}

/** An import that breaks a rule, or a circle of them. */
export interface Violation {
  rule: string;
  reason: string;
  where: string;
  what: string;
}

/** A test, or what only tests stand on: the testing package and any folder of that name. */
const isTestingFolder = (file: string) => /(^|\/)testing\//.test(file);
const isTest = (file: string) => file.endsWith('.test.ts') || isTestingFolder(file);

/** What runs at a user's: everything but tests and the tools around the tree. */
const ships = (file: string) =>
  !isTest(file) &&
  /^(packages\/|services\/|scripts\/start\/|scripts\/(migrate|replay|verify-log)(\.ts$|\/)|scripts\/with-node24\.js$)/.test(
    file,
  );

const serviceOf = (file: string) => /^services\/([^/]+)\//.exec(file)?.[1];

const names = (...packageNames: string[]) => {
  const set = new Set(packageNames);
  return ({ packageName }: Import) => packageName !== undefined && set.has(packageName);
};

const isDatabaseDriver = names('pg', 'kysely');
const isHttpClient = names(
  ...['node:http', 'node:https', 'node:http2', 'undici', 'request-filtering-agent'],
  ...['axios', 'got', 'ky', 'node-fetch', 'ws', 'eventsource'],
);
const leadsInto = (folder: string) => (imported: Import) => imported.target?.startsWith(folder) ?? false;
const isDatabase = leadsInto('packages/shared/db/');
const isBus = leadsInto('packages/shared/bus/');

/**
 * `services/flags/features/feature.ts`: a file with the name of its noun's folder, which may be in the plural. The gateway
 * has no nouns of its own: its folders are wire shapes and snapshots.
 */
function isDomainFile(file: string): boolean {
  const [, folder, stem] = /^services\/(?!gateway\/)[^/]+\/([^/]+)\/([^/.]+)\.ts$/.exec(file) ?? [];
  if (folder === undefined || stem === undefined) return false;
  return [stem, `${stem}s`, `${stem}es`, stem.replace(/y$/, 'ies')].includes(folder);
}

const ioModules = /^node:(fs|net|tls|dgram|dns|http|https|http2|child_process|worker_threads|cluster)(\/|$)/;

/** The law. Order is that of the report. */
export const rules: Rule[] = [
  {
    name: 'service-imports-service',
    reason:
      'Services meet over contracts on the bus and nowhere else, so that each can be deployed, scaled and restarted alone. Ask by a request, or listen to an event.',
    breaks: ({ file, target }) => {
      const from = serviceOf(file);
      const to = target && serviceOf(target);
      return from !== undefined && to !== undefined && from !== to;
    },
  },
  {
    name: 'service-imported-from-outside',
    reason:
      'A service is a process, not a library. Only what starts or tests whole systems may import one: packages/testing, e2e, bench and scripts.',
    breaks: ({ file, target }) =>
      target?.startsWith('services/') === true && !/^(services|packages\/testing|e2e|bench|scripts)\//.test(file),
  },
  {
    name: 'gateway-without-database',
    reason:
      'The gateway keeps no tables and answers while Postgres is down. What it needs to know it asks of the owning service.',
    breaks: (imported) =>
      imported.file.startsWith('services/gateway/') && (isDatabaseDriver(imported) || isDatabase(imported)),
  },
  {
    name: 'contracts-import-zod-alone',
    reason:
      'Both ends of every request read the contracts, and the OpenAPI document is made of them: they must load anywhere, so they stand on zod and each other.',
    breaks: ({ file, packageName, target }) =>
      file.startsWith('packages/shared/contracts/') &&
      !isTest(file) &&
      packageName !== 'zod' &&
      !target?.startsWith('packages/shared/contracts/'),
  },
  {
    name: 'evaluation-is-pure',
    reason:
      'The same evaluation serves the frontend API, OFREP and tests of every strategy: it is a function of its input, so it reaches no service, no file and no network.',
    breaks: (imported) =>
      imported.file.startsWith('packages/evaluation/') &&
      !isTest(imported.file) &&
      (ioModules.test(imported.packageName ?? '') ||
        (imported.packageName?.startsWith('@yardarm/') === true && !leadsInto('packages/shared/contracts/')(imported))),
  },
  {
    name: 'nats-in-bus-alone',
    reason:
      'Deadlines, the actor, trace context and the prefix ride on every message because packages/shared/bus is the only code that makes one. A folder named testing may harm streams or look into them.',
    breaks: ({ file, packageName }) =>
      (packageName?.startsWith('@nats-io/') === true || packageName === 'nats') &&
      !file.startsWith('packages/shared/bus/') &&
      !isTestingFolder(file),
  },
  {
    name: 'sql-in-repos',
    reason:
      'SQL stands in *.repo.ts and db/, where it can be read in one place. Elsewhere take Database and Transaction from @yardarm/shared/db.',
    breaks: (imported) =>
      isDatabaseDriver(imported) &&
      !isTest(imported.file) &&
      // scripts/servers brings a Postgres up and must ask whether it answers; it holds no table of ours.
      !/^(packages\/(shared\/db|testing)\/|services\/[^/]+\/db\/|services\/.+\.repo\.ts$|scripts\/servers\/)/.test(
        imported.file,
      ),
  },
  {
    name: 'http-client-is-guarded',
    reason:
      'An address that a user gave may be one of ours. Calls go out through the guarded client of @yardarm/shared/http; only the gateway and the health server listen.',
    // A type alone opens no connection, and tests stand outside: they play the endpoint and the user.
    breaks: (imported) =>
      isHttpClient(imported) &&
      !imported.typeOnly &&
      !isTest(imported.file) &&
      /^(packages\/(shared|evaluation)|services)\//.test(imported.file) &&
      !/^(packages\/shared\/http\/|packages\/shared\/service\/health\.ts$|services\/gateway\/server\.ts$)/.test(
        imported.file,
      ),
  },
  {
    name: 'templates-and-signatures-in-integrations',
    reason:
      'Rendering and signing what leaves for a webhook belongs to integrations; a second place would sign or escape differently.',
    breaks: (imported) =>
      names('mustache', 'standardwebhooks')(imported) &&
      !isTest(imported.file) &&
      !imported.file.startsWith('services/integrations/'),
  },
  {
    name: 'express-in-gateway',
    reason: 'The gateway is the only public listener; every other service speaks over the bus.',
    // The bench holds the gateway against a bare Express.
    breaks: (imported) => names('express')(imported) && !/^(services\/gateway|bench)\//.test(imported.file),
  },
  {
    name: 'routes-are-mounted-in-one-place',
    reason:
      'Every route passes its door because http/mount.ts is the only way to the router. A route is a value in the table of routes; write one there.',
    breaks: (imported) =>
      names('express')(imported) &&
      !imported.typeOnly &&
      !isTest(imported.file) &&
      /^services\/gateway\/(?!server\.ts$|http\/read-body\.ts$)/.test(imported.file),
  },
  {
    name: 'domain-is-pure',
    reason:
      "A noun's own file holds decisions that a test can put to it in a microsecond: no repos, no handlers, no bus, no database, no I/O. Pass it the values.",
    breaks: (imported) =>
      isDomainFile(imported.file) &&
      (isDatabaseDriver(imported) ||
        isDatabase(imported) ||
        isBus(imported) ||
        isHttpClient(imported) ||
        ioModules.test(imported.packageName ?? '') ||
        /\.(repo|handlers|consumers?|wire)\.ts$|(^|\/)(routes|consumers|service|config)\.ts$/.test(
          imported.target ?? '',
        )),
  },
  {
    name: 'testing-does-not-ship',
    reason:
      'What stands in testing/ starts servers, makes users and kills processes; nothing that runs in production may depend on it.',
    breaks: (imported) => ships(imported.file) && leadsIntoTesting(imported),
  },
  {
    name: 'only-exported-sub-paths',
    reason:
      'A package shows what its "exports" list, and may change the rest at any time. Import it by name, or add the sub-path there on purpose.',
    breaks: ({ file, packageName, target }, packages) => {
      if (packageName?.startsWith('@yardarm/')) return target === undefined;
      // Tests bring up the servers that `npm start` brings up; scripts is no package, and must start without packages/testing.
      if (file.startsWith('packages/testing/') && target?.startsWith('scripts/servers/')) return false;
      return target !== undefined && packageOf(target, packages) !== packageOf(file, packages);
    },
  },
  {
    name: 'declared-dependencies',
    reason:
      'What a package imports stands in its own package.json (what ships, among its dependencies), or the production image lacks it one day.',
    breaks: ({ file, packageName, typeOnly }, packages) => {
      if (packageName === undefined || packageName.startsWith('node:')) return false;
      const owner = packageOf(file, packages);
      if (packageName === owner.name) return false;
      if (ships(file) && !typeOnly && owner.folder !== '') return !owner.declaredForProduction.has(packageName);
      const root = packages.find(({ folder }) => folder === '')!;
      // npm links every workspace for whoever stays in this repository.
      const linked = packages.some(({ name }) => name === packageName);
      return !linked && !owner.declared.has(packageName) && !root.declared.has(packageName);
    },
  },
];

function leadsIntoTesting({ packageName, target }: Import): boolean {
  return packageName === '@yardarm/testing' || isTestingFolder(target ?? '');
}

/** Everything in the tree that breaks the law, in the order of the rules, circles last. */
export function findViolations(tree: Tree): Violation[] {
  const broken = rules.flatMap((rule) =>
    tree.imports
      .filter((imported) => rule.breaks(imported, tree.packages))
      .map(({ file, line, specifier }) => ({
        rule: rule.name,
        reason: rule.reason,
        where: `${file}:${line}`,
        what: `imports '${specifier}'`,
      })),
  );
  return [...broken, ...unusedDependencies(tree), ...cycleViolations(tree)];
}

const unusedReason =
  'What a package lists among its dependencies is installed in the production image and has to be kept up to date: it should be used.';

function unusedDependencies({ packages, files, imports }: Tree): Violation[] {
  return packages.flatMap((owner) => {
    const inside = (file: string) => owner.folder !== '' && packageOf(file, packages) === owner;
    if (!files.some(inside)) return [];
    const used = new Set(imports.filter(({ file }) => inside(file)).map(({ packageName }) => packageName));
    return [...owner.declaredForProduction]
      .filter((name) => !used.has(name))
      .map((name) => ({
        rule: 'no-unused-dependencies',
        reason: unusedReason,
        where: `${owner.folder}/package.json`,
        what: `lists '${name}', which no file of it imports`,
      }));
  });
}

const circleReason =
  'Two files that need each other are one file, or hide a third that both need. Type-only imports count: they are the same knot in the reader’s head.';

function cycleViolations({ imports }: Tree): Violation[] {
  return circles(imports).map((way) => ({
    rule: 'no-circles',
    reason: circleReason,
    where: way[0]!,
    what: `is in a circle: ${way.join(' -> ')}`,
  }));
}
