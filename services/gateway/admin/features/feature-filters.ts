import { daySchema } from '@yardarm/shared/contracts';
import type { searchFeatures } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';

type Search = z.input<typeof searchFeatures.input>;

/** The limit of the contract. */
const maxValues = 1000;

const valuesOf = (text: string) => text.split(',').map((value) => value.trim());

/** A filter is an operator, a colon, and values with commas between them. */
function filter<Result>(operators: readonly string[], parse: (operator: string, text: string) => Result | undefined) {
  const message = `should be ${operators.join(', ')} with a colon and values, as in ${operators[0]}:value`;
  return z
    .string()
    .transform((text, context) => {
      const [, operator = '', rest = ''] = /^([A-Z_]+):(.*)$/s.exec(text) ?? [];
      const parsed = operators.includes(operator) && valuesOf(rest).length <= maxValues && parse(operator, rest);
      if (parsed) return parsed;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .optional();
}

const oneOf = filter(['IS', 'IS_NOT', 'IS_ANY_OF', 'IS_NONE_OF'], (operator, text) => ({
  isNegated: operator === 'IS_NOT' || operator === 'IS_NONE_OF',
  values: valuesOf(text),
}));

function anyOrAll<Value>(parse: (value: string) => Value | undefined) {
  const operators = {
    INCLUDE: { isNegated: false, match: 'any' },
    DO_NOT_INCLUDE: { isNegated: true, match: 'any' },
    INCLUDE_ALL_OF: { isNegated: false, match: 'all' },
    INCLUDE_ANY_OF: { isNegated: false, match: 'any' },
    EXCLUDE_IF_ANY_OF: { isNegated: true, match: 'any' },
    EXCLUDE_ALL: { isNegated: true, match: 'all' },
  } as const;
  return filter(Object.keys(operators), (operator, text) => {
    const parsed = valuesOf(text).map(parse);
    const values = parsed.filter((value) => value !== undefined);
    const isWhole = values.length === parsed.length;
    return isWhole ? { ...operators[operator as keyof typeof operators], values } : undefined;
  });
}

const tags = anyOrAll((text) => {
  const [, type, value] = /^([^:]+):(.+)$/s.exec(text) ?? [];
  return type === undefined || value === undefined ? undefined : { type, value };
});

const day = filter(['IS_BEFORE', 'IS_ON_OR_AFTER'], (operator, text) => {
  const isDay = daySchema.safeParse(text).success;
  return isDay
    ? { operator: operator === 'IS_BEFORE' ? ('before' as const) : ('on-or-after' as const), day: text }
    : undefined;
});

const flag = filter(['IS', 'IS_ANY_OF'], (_operator, text) => {
  const values = valuesOf(text);
  return values.every((value) => value === 'true' || value === 'false') ? { values } : undefined;
});

const texts = z.union([z.string(), z.array(z.string())]).optional();

/** As in the public product, a number that is none has the default. */
function number(minimum: number, maximum: number, standard: number) {
  return z
    .string()
    .optional()
    .transform((text = '') => (/^\d{1,15}$/.test(text) ? Math.min(Number(text), maximum) : standard))
    .transform((value) => (value < minimum ? standard : value));
}

/** The query of GET /api/admin/search/features, in the public product's notation. It ignores other properties. */
export const featureFilters = z.object({
  query: z.string().max(1000, 'should have at most 1000 characters').optional(),
  project: oneOf,
  type: oneOf,
  state: oneOf,
  lifecycle: oneOf,
  createdBy: oneOf,
  tag: tags,
  segment: anyOrAll((value) => value),
  status: texts.meta({ description: 'Environments and states, as in production:enabled' }),
  'status[]': texts.meta({ description: 'The same as `status`' }),
  archived: flag,
  favorite: flag,
  createdAt: day,
  lastSeenAt: day,
  sortBy: z.string().optional(),
  sortOrder: z.enum(['asc', 'desc'], 'should be asc or desc').optional(),
  favoritesFirst: z.string().optional(),
  targeting: z.string().optional().meta({ description: 'true: each environment says for whom the flag is on' }),
  offset: number(0, 1_000_000_000, 0),
  limit: number(1, 1000, 50),
});

const sortFields: readonly string[] = ['name', 'type', 'project', 'createdAt', 'lastSeenAt', 'stale'];

export function toSearch(query: z.output<typeof featureFilters>): Search {
  const {
    query: text = '',
    status,
    'status[]': statuses,
    archived,
    favorite,
    sortBy = '',
    favoritesFirst,
    targeting,
    ...rest
  } = query;
  const searched = valuesOf(text)
    .filter((value) => value !== '')
    .slice(0, 100);
  const states = [status ?? [], statuses ?? []].flat(2).flatMap(toStatus);
  const [, sortEnvironment] = /^environment:(.{1,100})$/.exec(sortBy) ?? [];
  const isFavorite = oneValue(favorite);
  const isArchived = oneValue(archived);
  return {
    ...rest,
    ...(searched.length > 0 && { texts: searched }),
    ...(states.length > 0 && { status: states }),
    ...(isArchived !== undefined && { archived: isArchived }),
    ...(isFavorite !== undefined && { favorite: isFavorite }),
    ...(sortFields.includes(sortBy) && { sortBy: sortBy as Search['sortBy'] }),
    ...(sortEnvironment !== undefined && { sortBy: 'environment', sortEnvironment }),
    favoritesFirst: favoritesFirst === 'true',
    targeting: targeting === 'true',
  };
}

/** The value of a filter of yes or no. Both values together filter nothing. */
function oneValue(filtered: { values: string[] } | undefined): boolean | undefined {
  const values = new Set(filtered?.values);
  return values.size === 1 ? values.has('true') : undefined;
}

/** As in the public product, every state but `enabled` means disabled. */
function toStatus(text: string): { environment: string; enabled: boolean }[] {
  const [, environment, state] = /^(.+):([^:]*)$/.exec(text) ?? [];
  return environment === undefined ? [] : [{ environment, enabled: state === 'enabled' }];
}
