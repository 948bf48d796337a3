interface Source {
  source?: string;
}

/** Not in the types of TypeScript yet, nor in every browser. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };

/**
 * Parses JSON so that `shownJson` writes its large numbers as they were sent: a rounded id would name something else.
 * A browser that cannot tell what was sent rounds them.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }: Source = {}) => {
    const isRounded = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    return isRounded && source !== undefined && rawJSON !== undefined ? rawJSON(source) : value;
  });
}
