/** When a token expires, as a form has it: in some days, at the end of a date, or never. */
export interface Expiry {
  kind: 'never' | 'date' | '7' | '30' | '90' | '365';
  /** As in 2026-12-31; of the kind `date` alone. */
  date: string;
}

const dayMs = 86_400_000;

/** The point in time that the API takes; null if the token does not expire. */
export function expiresAt({ kind, date }: Expiry, now: Date = new Date()): string | null {
  if (kind === 'never') return null;
  if (kind === 'date') return new Date(`${date}T23:59:59.999Z`).toISOString();
  return new Date(now.getTime() + Number(kind) * dayMs).toISOString();
}

export type ExpiryState = 'never' | 'later' | 'soon' | 'expired';

/** Tokens that expire within a week are shown as such. */
export function expiryState(at: string | null, now: Date = new Date()): ExpiryState {
  if (at === null) return 'never';
  const left = new Date(at).getTime() - now.getTime();
  if (left <= 0) return 'expired';
  return left <= 7 * dayMs ? 'soon' : 'later';
}
