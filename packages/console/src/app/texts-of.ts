/**
 * The named texts of an address. Numbers and `true` or `false` are texts too: the router parses them. Anything else is
 * left out, so that an old link still opens.
 */
export function textsOf<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const known = names.flatMap((name) => {
    const value = search[name];
    return ['string', 'number', 'boolean'].includes(typeof value) ? [[name, `${value}`]] : [];
  });
  return Object.fromEntries(known);
}

/** The named days of an address, such as `2026-11-26`. A field for days takes nothing else. */
export function daysOf<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const isDay = (name: Name) => /^\d{4}-\d\d-\d\d$/.test(`${search[name]}`);
  return textsOf(search, names.filter(isDay));
}
