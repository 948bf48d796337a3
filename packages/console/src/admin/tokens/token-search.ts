/** What the list of tokens is narrowed to, as the address has it. */
export interface TokenSearch {
  q?: string;
  type?: string;
}

export function parseTokenSearch({ q, type }: Record<string, unknown>): TokenSearch {
  return {
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(typeof type === 'string' && ['client', 'frontend', 'admin'].includes(type) && { type }),
  };
}
