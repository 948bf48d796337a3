import path from 'node:path';
import { parseArgs } from 'node:util';

export const usage = `Usage: npm run bench [-- options]
  --row 7,8b      only these rows (may be repeated); all of them otherwise
  --quick         short durations, one run, a smaller log: to see that it runs; the figures are not the protocol's
  --json <file>   the table as JSON too
  --profile <row> this row alone, with a CPU profile of every service's process, kept below .yardarm/bench-profiles
  --help          this`;

export interface BenchOptions {
  /** Empty: all. */
  rows: string[];
  isQuick: boolean;
  json: string | undefined;
  /** The folder for CPU profiles, when they are wanted. */
  profiles: string | undefined;
  help: boolean;
}

/** Reads the command line; throws in plain words when it cannot be followed. */
export function readBenchOptions(args: string[] = process.argv.slice(2)): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      row: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const asked = (values.row ?? []).flatMap((text) => text.split(',')).map((text) => text.trim());
  const profiles = path.resolve(
    import.meta.dirname,
    '../.yardarm/bench-profiles',
    `row-${values.profile}-${Date.now()}`,
  );
  return {
    rows: values.profile === undefined ? asked : [values.profile],
    isQuick: values.quick,
    json: values.json,
    profiles: values.profile === undefined ? undefined : profiles,
    help: values.help,
  };
}

/** What programs need on any machine: what a process of the bench gets of our environment. */
export function machineEnvironment(): Record<string, string> {
  const wanted = [
    'PATH',
    'HOME',
    'USER',
    'LANG',
    'TMPDIR',
    'XDG_CACHE_HOME',
    'NODE_COMPILE_CACHE',
    'NODE_EXTRA_CA_CERTS',
  ];
  const entries = wanted.map((name): [string, string | undefined] => [name, process.env[name]]);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
