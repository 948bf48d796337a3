import { findCycles } from './cycles.ts';
import type { Import, Package, Tree } from './imports.ts';
import { packageOf } from './imports.ts';

export interface Rule {
  name: string;
  reason: string;
  breaks(imported: Import, packages: Package[]): boolean;
}

export interface Violation {
  rule: string;
  reason: string;
  where: string;
  what: string;
}

/** The testing package and every folder of that name: what only tests use. */
const isTestingFolder = (file: string) => /(^|\/)testing\//.test(file);
const isTest = (file: string) => /\.test\.tsx?$/.test(file) || isTestingFolder(file);

/**
 * Whether a user runs the file with the packages that are installed. Tests and development tools do not ship, and of
 * the console only what vite made of it does.
 */
const ships = (file: string) =>
  !isTest(file) &&
  /^(packages(?!\/console\/)\/|services\/|scripts\/start\/|scripts\/(migrate|replay|signal-relay|verify-log|yardarm)(\.ts$|\/)|scripts\/with-node24\.js$)/.test(
    file,
  );

const serviceOf = (file: string) => /^services\/([^/]+)\//.exec(file)?.[1];
const routeGroupOf = (file: string) => /^services\/gateway\/(admin|sdk|signals)\//.exec(file)?.[1];

const names = (...packageNames: string[]) => {
  const set = new Set(packageNames);
  return ({ packageName }: Import) => packageName !== undefined && set.has(packageName);
};

const isDatabaseDriver = names('pg', 'kysely');
const isHttpClient = names(
  ...['node:http', 'node:https', 'node:http2', 'undici', 'request-filtering-agent'],
  ...['axios', 'got', 'ky', 'node-fetch', 'ws', 'eventsource'],
);
const isBelow = (folder: string) => (imported: Import) => imported.target?.startsWith(folder) ?? false;
const isConsole = (file: string) => file.startsWith('packages/console/');
const isDatabase = isBelow('packages/shared/db/');
const isBus = isBelow('packages/shared/bus/');

/**
 * `services/flags/features/feature.ts`: a file with the name of its folder, which may be plural. The folders of the
 * gateway are not nouns: they hold wire shapes and snapshots.
 */
function isDomainFile(file: string): boolean {
  const [, folder, stem] = /^services\/(?!gateway\/)[^/]+\/(?:[^/]+\/)*([^/]+)\/([^/.]+)\.ts$/.exec(file) ?? [];
  if (folder === undefined || stem === undefined) return false;
  return [stem, `${stem}s`, `${stem}es`, stem.replace(/y$/, 'ies')].includes(folder);
}

const ioModules = /^node:(fs|net|tls|dgram|dns|http|https|http2|child_process|worker_threads|cluster)(\/|$)/;

/** The rules, in the order in which the report names them. */
export const rules: Rule[] = [
  {
    name: 'services-are-apart',
    reason:
      'Services communicate only through contracts on the bus, so that each can be deployed, scaled and restarted alone. Only packages/testing, e2e, bench and scripts, which start or test whole systems, import one.',
    breaks: ({ file, target }) => {
      const to = target && serviceOf(target);
      return to !== undefined && serviceOf(file) !== to && !/^(packages\/testing|e2e|bench|scripts)\//.test(file);
    },
  },
  {
    name: 'route-groups-are-apart',
    reason:
      'A gateway can serve the routes of one group alone. What two of the folders admin, sdk and signals need is in routing, listener or auth.',
    breaks: ({ file, target }) => {
      const from = routeGroupOf(file);
      const to = target && routeGroupOf(target);
      return from !== undefined && to !== undefined && from !== to && !isTest(file);
    },
  },
  {
    name: 'contracts-import-zod-alone',
    reason:
      'Both ends of every request and the OpenAPI document use the contracts. They must load anywhere, so they import only zod and each other.',
    breaks: ({ file, packageName, target }) =>
      file.startsWith('packages/shared/contracts/') &&
      !isTest(file) &&
      packageName !== 'zod' &&
      !target?.startsWith('packages/shared/contracts/'),
  },
  {
    name: 'evaluation-is-pure',
    reason:
      'The frontend API, OFREP and tests of every strategy use the same evaluation. It is a function of its input: it uses no service, no file and no network.',
    breaks: (imported) =>
      imported.file.startsWith('packages/evaluation/') &&
      !isTest(imported.file) &&
      (ioModules.test(imported.packageName ?? '') ||
        (imported.packageName?.startsWith('@yardarm/') === true && !isBelow('packages/shared/contracts/')(imported))),
  },
  {
    name: 'console-is-a-client',
    reason:
      'The console runs in a browser and is a client of the API like any other. It shares the contracts and the evaluation with the services, and nobody imports it.',
    breaks: ({ file, packageName, target }) => {
      if (!isConsole(file)) return target !== undefined && isConsole(target);
      const isOurs = packageName?.startsWith('@yardarm/') === true || packageName?.startsWith('node:') === true;
      return isOurs && !isTest(file) && !/^packages\/(console|evaluation|shared\/contracts)\//.test(target ?? '');
    },
  },
  {
    name: 'nats-in-bus-alone',
    reason:
      'Every message has a deadline, the actor, trace context and the prefix, because packages/shared/bus is the only code that makes one. A folder named testing may read and damage streams.',
    breaks: ({ file, packageName }) =>
      (packageName?.startsWith('@nats-io/') === true || packageName === 'nats') &&
      !file.startsWith('packages/shared/bus/') &&
      !isTestingFolder(file),
  },
  {
    name: 'opentelemetry-in-one-folder',
    reason:
      'A process without a collector loads nothing of the SDK of OpenTelemetry. Only packages/shared/tracing/otel imports them, and startTracing alone loads that folder, when a collector is configured. Make spans by the tracer of @yardarm/shared/telemetry.',
    breaks: (imported) => {
      const folder = 'packages/shared/tracing/otel/';
      if (imported.file.startsWith(folder) || isTest(imported.file)) return false;
      const isOpenTelemetry = imported.packageName?.startsWith('@opentelemetry/') === true;
      const isLoader = imported.file === 'packages/shared/tracing/start-tracing.ts' && imported.isDynamic;
      return isOpenTelemetry || (isBelow(folder)(imported) && !isLoader);
    },
  },
  {
    name: 'sql-in-repos',
    reason:
      'SQL is in *.repo.ts and db/ of the services with tables, where it can be read in one place. Elsewhere import Database and Transaction from @yardarm/shared/db. The gateway imports neither: it answers while Postgres is down.',
    breaks: (imported) =>
      imported.file.startsWith('services/gateway/')
        ? isDatabaseDriver(imported) || isDatabase(imported)
        : isDatabaseDriver(imported) &&
          !isTest(imported.file) &&
          // scripts/servers starts a Postgres and asks whether it answers. It uses no tables.
          !/^(packages\/(shared\/db|testing)\/|services\/[^/]+\/db\/|services\/.+\.repo\.ts$|scripts\/servers\/)/.test(
            imported.file,
          ),
  },
  {
    name: 'http-client-is-guarded',
    reason:
      'An address from a user may be an internal one. All calls use the guarded client of @yardarm/shared/http; only the gateway and the health server listen.',
    // A type opens no connection. Tests are exempt: they are the endpoint and the user.
    breaks: (imported) =>
      isHttpClient(imported) &&
      !imported.typeOnly &&
      !isTest(imported.file) &&
      /^(packages\/(shared|evaluation)|services)\//.test(imported.file) &&
      !/^(packages\/shared\/http\/|packages\/shared\/service\/health\.ts$|services\/gateway\/listener\/)/.test(
        imported.file,
      ),
  },
  {
    name: 'templates-and-signatures-in-integrations',
    reason:
      'Integrations alone renders and signs the bodies of webhooks. A second place would sign or escape differently.',
    breaks: (imported) =>
      names('mustache', 'standardwebhooks')(imported) &&
      !isTest(imported.file) &&
      !imported.file.startsWith('services/integrations/'),
  },
  {
    name: 'express-in-listener',
    reason:
      'The listener of the gateway is the only public one. Every request to a route is authenticated and authorized, because only routing/mount.ts adds routes to it. A route is a value in the table of routes. Add it there.',
    // The bench compares the gateway with a bare Express.
    breaks: (imported) =>
      names('express')(imported) &&
      !/^(services\/gateway\/listener|bench)\//.test(imported.file) &&
      !(imported.file.startsWith('services/gateway/') && (imported.typeOnly || isTest(imported.file))),
  },
  {
    name: 'domain-is-pure',
    reason:
      "A noun's own file holds decisions that a test can check in a microsecond: no repos, no handlers, no bus, no database, no I/O. Pass it the values.",
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
      'Code in testing/ starts servers, makes users and kills processes. Nothing that runs in production may depend on it.',
    breaks: (imported) => ships(imported.file) && isFromTesting(imported),
  },
  {
    name: 'only-exported-sub-paths',
    reason:
      'A package may change everything that its "exports" do not list. Import it by name, or add the sub-path there on purpose.',
    breaks: ({ file, packageName, target }, packages) => {
      if (packageName?.startsWith('@yardarm/')) return target === undefined;
      // Tests start the same servers as `npm start`. scripts is not a package and must run without packages/testing.
      if (file.startsWith('packages/testing/') && target?.startsWith('scripts/servers/')) return false;
      return target !== undefined && packageOf(target, packages) !== packageOf(file, packages);
    },
  },
  {
    name: 'declared-dependencies',
    reason:
      'A package lists what it imports in its own package.json (what ships, among its dependencies). Otherwise the production image may lack it.',
    breaks: ({ file, packageName, typeOnly }, packages) => {
      if (packageName === undefined || packageName.startsWith('node:')) return false;
      const owner = packageOf(file, packages);
      if (packageName === owner.name) return false;
      if (ships(file) && !typeOnly && owner.folder !== '') return !owner.declaredForProduction.has(packageName);
      const root = packages.find(({ folder }) => folder === '')!;
      // npm links every workspace inside this repository.
      const linked = packages.some(({ name }) => name === packageName);
      return !linked && !owner.declared.has(packageName) && !root.declared.has(packageName);
    },
  },
];

function isFromTesting({ packageName, target }: Import): boolean {
  return packageName === '@yardarm/testing' || isTestingFolder(target ?? '');
}

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
  'The production image installs every dependency, and someone has to keep it up to date. An unused one is waste.';

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

const cycleReason =
  'Two files that need each other are one file, or both need a third. Type-only imports count, because a reader has to follow them too.';

function cycleViolations({ imports }: Tree): Violation[] {
  return findCycles(imports).map((files) => ({
    rule: 'no-cycles',
    reason: cycleReason,
    where: files[0]!,
    what: `is in a cycle: ${files.join(' -> ')}`,
  }));
}
