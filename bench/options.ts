import path from 'node:path';
import { parseArgs } from 'node:util';
import { type ServiceName, serviceNames } from '@yardarm/shared/contracts';

export const usage = `Usage: npm run bench [-- options]
  --row 7,8b      only these rows (may be repeated); default: all rows
  --quick         a trial with short durations, one run and a smaller log; its figures do not count
  --runs <n>      fewer runs than the protocol; their figures do not count
  --json <file>   the table as JSON too
  --statements    also count statements, WAL, row versions and messages (rows 5, 5d and 6), which costs some percent
  --stop <names>  services that stand still during the load of row 5 or 5d; its figure does not count
  --growth        how cost grows instead of the rows; --row names curves then
  --plots <json>  draws the curves of such a JSON file to docs/images
  --simulate <json> 100 gateways and 100,000 SDKs, simulated from the costs in such a file
  --profile <row> this row alone, with a CPU profile of every service's process, kept below .yardarm/bench-profiles
  --help          print this text`;

export interface BenchOptions {
  rows: string[];
  isQuick: boolean;
  json: string | undefined;
  isCounting: boolean;
  stopped: ServiceName[];
  runs: number | undefined;
  isGrowth: boolean;
  plots: string | undefined;
  simulated: string | undefined;
  profiles: string | undefined;
  help: boolean;
}

const isServiceName = (name: string): name is ServiceName => serviceNames.some((known) => known === name);

/** Reads the command line. Throws when it is invalid. */
export function readBenchOptions(args: string[] = process.argv.slice(2)): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      row: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      statements: { type: 'boolean', default: false },
      stop: { type: 'string', multiple: true },
      runs: { type: 'string' },
      growth: { type: 'boolean', default: false },
      plots: { type: 'string' },
      simulate: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const listOf = (texts: string[] = []) => texts.flatMap((text) => text.split(',')).map((text) => text.trim());
  const rows = listOf(values.row);
  const stopped = listOf(values.stop);
  for (const name of stopped) if (!isServiceName(name)) throw new Error(`there is no service ${name}\n${usage}`);
  if (values.runs !== undefined && !/^[1-9]$/.test(values.runs)) throw new Error(`--runs is 1 to 9\n${usage}`);
  const profiles = path.resolve(
    import.meta.dirname,
    '../.yardarm/bench-profiles',
    `row-${values.profile}-${Date.now()}`,
  );
  return {
    rows: values.profile === undefined ? rows : [values.profile],
    isQuick: values.quick,
    json: values.json,
    isCounting: values.statements,
    stopped: stopped.filter(isServiceName),
    runs: values.runs === undefined ? undefined : Number(values.runs),
    isGrowth: values.growth,
    plots: values.plots,
    simulated: values.simulate,
    profiles: values.profile === undefined ? undefined : profiles,
    help: values.help,
  };
}

/** The environment variables that the bench passes to its processes: those that programs need on any machine. */
export function machineEnvironment(): Record<string, string> {
  const names = [
    'PATH',
    'HOME',
    'USER',
    'LANG',
    'TMPDIR',
    'XDG_CACHE_HOME',
    'NODE_COMPILE_CACHE',
    'NODE_EXTRA_CA_CERTS',
  ];
  const entries = names.map((name): [string, string | undefined] => [name, process.env[name]]);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
