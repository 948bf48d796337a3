import { shapes } from './shapes.ts';

const scalars: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  // Go reads times of RFC 3339 alone.
  time: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value),
  // The client has 32 bits for integers.
  integer: (value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
};

/** Where a value is not what the Go client reads: missing properties, wrong types and unexpected nulls. */
export function problemsOf(type: string, value: unknown, at = ''): string[] {
  if (type.endsWith('?')) return value === null ? [] : problemsOf(type.slice(0, -1), value, at);
  if (type.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${at} is no list`];
    return value.flatMap((each, index) => problemsOf(type.slice(0, -2), each, `${at}[${index}]`));
  }
  const isScalar = scalars[type];
  if (isScalar !== undefined) return isScalar(value) ? [] : [`${at} is no ${type}: ${JSON.stringify(value)}`];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is no object`];
  return Object.entries(shapes[type as keyof typeof shapes]).flatMap(([key, propertyType]) => {
    const name = key.replace(/^-/, '');
    const property = (value as Record<string, unknown>)[name];
    if (property !== undefined) return problemsOf(propertyType, property, `${at}.${name}`);
    return key === name ? [`${at}.${name} is missing`] : [];
  });
}
