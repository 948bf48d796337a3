import { helpIfAsked, parseOptions, UsageError } from '../command.ts';
import { openApi } from './api.ts';
import { printableJson } from './printable.ts';
import { tailEvents } from './tail-events.ts';
import { tailSignals } from './tail-signals.ts';

const usage = `Usage: yardarm tail events [--after <id>] [--type <type>] [--project <id>] [--feature <name>] [--environment <name>]
       yardarm tail signals [--endpoint <name>]
Prints a line of JSON for each event or signal from now on, until it is interrupted.
  --after     events after this id, and then those from now on
  --endpoint  the signals of this endpoint; default those of all`;

const filters = ['after', 'type', 'project', 'feature', 'environment'] as const;

const text = { type: 'string' } as const;
const options = { after: text, type: text, project: text, feature: text, environment: text, endpoint: text };

/** Prints lines until SIGINT or SIGTERM. */
export async function tail(all: string[]): Promise<number> {
  helpIfAsked(all, usage);
  const [what, ...words] = all;
  if (what !== 'events' && what !== 'signals')
    throw new UsageError(`${what ?? 'Nothing'} is neither events nor signals.\n${usage}`);
  const values = { ...parseOptions(words, options, usage) };
  const allowed: readonly string[] = what === 'events' ? filters : ['endpoint'];
  const wrong = Object.keys(values).find((name) => !allowed.includes(name));
  if (wrong !== undefined) throw new UsageError(`--${wrong} is not for ${what}.\n${usage}`);
  if (values.after !== undefined && !/^\d{1,15}$/.test(values.after))
    throw new UsageError(`--after ${values.after} is not the id of an event.\n${usage}`);
  const api = openApi();
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort());
  const print = (item: unknown) => console.log(printableJson(item));
  const { signal } = interrupted;
  if (what === 'events') await tailEvents(api, values, print, signal);
  else await tailSignals(api, values.endpoint, print, signal);
  return 0;
}
