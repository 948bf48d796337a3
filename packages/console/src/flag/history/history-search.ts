/** A moment in UTC at which the flag is shown, as the address of the page has it. */
export function parseHistorySearch({ at }: Record<string, unknown>): { at?: string } {
  const date = new Date(typeof at === 'string' ? at : Number.NaN);
  return Number.isNaN(date.getTime()) ? {} : { at: date.toISOString() };
}
