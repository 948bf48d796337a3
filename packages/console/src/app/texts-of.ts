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
