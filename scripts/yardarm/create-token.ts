import { z } from 'zod';
import { helpIfAsked, parseOptions, UsageError } from '../command.ts';
import { openApi } from './api.ts';

const kinds = ['client', 'frontend', 'admin'];

const usage = `Usage: yardarm token create --name <name> [--type client|frontend|admin] [--environment <name>] [--project <id>]... [--expires <time>]
  --type         client (default) for the SDKs of servers, frontend for those of browsers, admin for scripts
  --environment  of a client or frontend token; default development
  --project      what a client or frontend token may read, several times for several; default all
  --expires      2026-12-31T00:00:00Z; without it the token does not expire
Prints the token. The secret of an admin token is shown only here.`;

const options = {
  name: { type: 'string' },
  type: { type: 'string', default: 'client' },
  environment: { type: 'string' },
  project: { type: 'string', multiple: true },
  expires: { type: 'string' },
} as const;

/** Creates a token by the admin API and prints its secret alone, for scripts. */
export async function createToken(words: string[]): Promise<number> {
  helpIfAsked(words, usage);
  const body = readWords(words);
  const { secret } = await openApi().call('POST', '/api/admin/api-tokens', z.object({ secret: z.string() }), body);
  console.log(secret);
  return 0;
}

function readWords([verb, ...words]: string[]) {
  if (verb !== 'create') throw new UsageError(`${verb ?? 'Nothing'} is not create.\n${usage}`);
  const { name, type, environment, project, expires } = parseOptions(words, options, usage);
  if (name === undefined) throw new UsageError(`--name is missing.\n${usage}`);
  if (!kinds.includes(type)) throw new UsageError(`--type ${type} is not one of ${kinds.join(', ')}.\n${usage}`);
  const place = { environment: environment ?? 'development', projects: project ?? ['*'] };
  if (type === 'admin' && (environment ?? project) !== undefined)
    throw new UsageError(`An admin token has no --environment and no --project.\n${usage}`);
  if (
    expires !== undefined &&
    !(z.iso.datetime({ offset: true }).safeParse(expires).success && new Date(expires) > new Date())
  )
    throw new UsageError(`--expires ${expires} is not a time in the future, as 2026-12-31T00:00:00Z.\n${usage}`);
  return {
    tokenName: name,
    type,
    ...(type !== 'admin' && place),
    ...(expires !== undefined && { expiresAt: expires }),
  };
}
