/** What the page of an integration shows, as its address has it. */
export interface IntegrationSearch {
  /** The outcome that is open. */
  outcome?: string;
  /** The settings instead of the deliveries. */
  view?: 'settings';
}

export function parseIntegrationSearch({ outcome, view }: Record<string, unknown>): IntegrationSearch {
  return {
    ...((typeof outcome === 'string' || typeof outcome === 'number') && { outcome: `${outcome}` }),
    ...(view === 'settings' && { view }),
  };
}
