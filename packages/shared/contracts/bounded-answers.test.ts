// An answer of one message is as large as its largest list. NATS takes 1 MiB a message, so a list without a bound fails in the installation
// that grew, and nowhere before: it travels as an answer of many (`replies: 'many'`), or has a bound, or stands here with its reason.
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as accounts from './accounts/index.ts';
import type { RequestContract } from './contract.ts';
import * as events from './events/index.ts';
import * as flags from './flags/index.ts';
import * as integrations from './integrations/index.ts';
import * as signals from './signals/index.ts';

const contracts = [accounts, events, flags, integrations, signals]
  .flatMap((exported): unknown[] => Object.values(exported))
  .filter(
    (value): value is RequestContract =>
      typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'request',
  )
  .filter(({ replies }) => replies === 'one');

/** The places of lists without a bound, such as `.user.projects[].name`. */
function unboundedLists(schema: z.ZodType): string[] {
  const found: string[] = [];
  const json = z.toJSONSchema(schema, {
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      delete jsonSchema.examples;
    },
  });
  const walk = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, items, maxItems, properties, ...others } = node as Record<string, unknown>;
    if (type === 'array' && maxItems === undefined) found.push(place);
    walk(items, `${place}[]`);
    for (const [name, property] of Object.entries(properties ?? {})) walk(property, `${place}.${name}`);
    for (const other of Object.values(others)) {
      if (Array.isArray(other)) for (const each of other) walk(each, place);
      else walk(other, place);
    }
  };
  walk(json, '');
  return [...new Set(found)];
}

/** Contracts by the beginning of their names, the places of theirs that may be without a bound, and why. */
const exceptions: { of: string; places: RegExp; because: string }[] = [
  {
    of: 'accounts.token.resolve',
    places: /^\.token\.actor\.grants/,
    because:
      'grants travel in the header of every request: what is too large for an answer is too large for that first',
  },
  {
    of: 'accounts.group.',
    places: /^\.projects$/,
    because: 'ids of at most 100 characters of the projects in which one group has a role: ten thousand fit',
  },
  {
    of: 'flags.',
    places:
      /^(\.(environments|variants|strategies|segments|constraints|children|dependencies))|^\.tags$|^\.collaborators\.users$/,
    because:
      'one flag, or one strategy: flags takes no more than 500,000 bytes of strategies for one, and people and tags are short',
  },
  {
    of: 'flags.',
    places: /^\.(featureTypes|environments|projects)$/,
    because:
      'the five types of flags, names of environments, and of the at most 1000 asked places those that are missing',
  },
  {
    of: 'integrations.integration.',
    places: /^\.(events|projects|environments)$/,
    because: 'what one message brought in is as large when it is shown',
  },
  {
    of: 'integrations.integration.test',
    places: /^\.event\.tags$/,
    because: 'the event of a test is made here, without tags',
  },
  {
    of: 'signals.endpoint',
    places: /^(\.signalEndpoints(\[\]\.tokens)?|\.signalEndpointTokens|\.tokens)$/,
    because: 'endpoints and their tokens are made one by one by admins, and some three thousand fit',
  },
];

const isExcepted = (name: string, place: string) =>
  exceptions.some(({ of, places }) => name.startsWith(of) && places.test(place));

test.each(contracts.map((contract) => [contract.name, contract] as const))(
  '%s answers with nothing that grows beyond a message',
  (name, contract) => {
    expect(unboundedLists(contract.output).filter((place) => !isExcepted(name, place))).toEqual([]);
  },
);

test('a list without a bound is found wherever it stands', () => {
  const list = z.array(z.string());
  const schema = z.object({
    ...{ list, bounded: list.max(3), maybe: list.nullable().optional(), either: z.union([z.string(), list]) },
    ...{ within: z.object({ deep: z.array(z.object({ list })).max(2) }), byName: z.record(z.string(), list) },
  });
  expect(unboundedLists(schema)).toEqual(['.list', '.maybe', '.either', '.within.deep[].list', '.byName']);
});

test('every exception is one still', () => {
  const places = contracts.flatMap(({ name, output }) => unboundedLists(output).map((place) => [name, place] as const));
  const unused = exceptions.filter(
    ({ of, places: excepted }) => !places.some(([name, place]) => name.startsWith(of) && excepted.test(place)),
  );
  expect(unused).toEqual([]);
});
