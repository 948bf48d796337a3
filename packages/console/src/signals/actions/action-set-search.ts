/** What an address says of an action set: the endpoint of a new one, and the stored signal to try it with. */
export interface ActionSetSearch {
  endpoint?: string;
  signal?: string;
}

export function parseActionSetSearch(search: Record<string, unknown>): ActionSetSearch {
  const id = (name: 'endpoint' | 'signal') => (/^\d+$/.test(`${search[name]}`) ? { [name]: `${search[name]}` } : {});
  return { ...id('endpoint'), ...id('signal') };
}
