// A NATS message has at most 1 MiB. An answer of one message with an unbounded list fails only once an installation has
// grown. So every list is bounded, or its contract has `replies: 'many'`, or an exception here gives the reason.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { allRequests } from './all.ts';

const contracts = allRequests.filter(({ replies }) => replies === 'one');

/** The paths of lists without a bound, such as `.user.projects[].name`. */
function unboundedLists(schema: z.ZodType): string[] {
  const found: string[] = [];
  const json = z.toJSONSchema(schema, {
    unrepresentable: 'any',
    reused: 'inline',
    // Without names, each schema is in its place, and without examples.
    metadata: z.registry(),
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

/** Unbounded lists that are allowed, by the prefix of the contract's name and the path, with the reason. */
const exceptions: { prefix: string; paths: RegExp; reason: string }[] = [
  {
    prefix: 'accounts.token.resolve',
    paths: /^\.token\.actor\.grants/,
    reason: 'grants travel in the header of every request: they become too large for the header before the answer',
  },
  {
    prefix: 'accounts.actor.resolve',
    paths: /^\.actor\.grants/,
    reason: 'the same grants of a service account',
  },
  {
    prefix: 'accounts.group.',
    paths: /^\.projects$/,
    reason: 'ids of the projects in which one group has a role, of at most 100 characters each: ten thousand fit',
  },
  {
    prefix: 'flags.',
    paths:
      /^(\.(environments|variants|strategies|segments|constraints|children|dependencies|links))|^\.tags$|^\.collaborators\.users$/,
    reason:
      'one flag or one strategy: flags accepts at most 500,000 bytes of strategies per flag; people and tags are short',
  },
  {
    prefix: 'flags.',
    paths: /^\.(featureTypes|environments|projects)$/,
    reason: 'the six flag types, the names of environments, and the missing ones of at most 1000 places',
  },
  {
    prefix: 'integrations.integration.',
    paths: /^\.(events|projects|environments)$/,
    reason: 'these lists came in one message and have the same size in the answer',
  },
  {
    prefix: 'integrations.integration.test',
    paths: /^\.event\.tags$/,
    reason: 'the event of a test has no tags',
  },
  {
    prefix: 'signals.action-set.',
    paths: /\.values$|\.options$/,
    reason:
      'a set came in one message and has the same size in the answer; names of environments: a thousand of 100 characters fit',
  },
];

const isExcepted = (name: string, place: string) =>
  exceptions.some(({ prefix, paths }) => name.startsWith(prefix) && paths.test(place));

test.each(contracts.map((contract) => [contract.name, contract] as const))(
  'the answer of %s has no unbounded list',
  (name, contract) => {
    expect(unboundedLists(contract.output).filter((place) => !isExcepted(name, place))).toEqual([]);
  },
);

test('an unbounded list is found at any depth', () => {
  const list = z.array(z.string());
  const schema = z.object({
    ...{ list, bounded: list.max(3), maybe: list.nullable().optional(), either: z.union([z.string(), list]) },
    ...{ within: z.object({ deep: z.array(z.object({ list })).max(2) }), byName: z.record(z.string(), list) },
  });
  expect(unboundedLists(schema)).toEqual(['.list', '.maybe', '.either', '.within.deep[].list', '.byName']);
});

test('every exception is still needed', () => {
  const places = contracts.flatMap(({ name, output }) => unboundedLists(output).map((place) => [name, place] as const));
  const unused = exceptions.filter(
    ({ prefix, paths }) => !places.some(([name, place]) => name.startsWith(prefix) && paths.test(place)),
  );
  expect(unused).toEqual([]);
});
