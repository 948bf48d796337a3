/** The answer to a search: a page of the log and the number of matching events. */
interface Found {
  events: { id: number; type: string; data: unknown }[];
  totalEvents: number;
}

/** The calls of the admin API that the bench needs. Except for the webhook, the peer supports them too. */
export class Api {
  readonly url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.#token = token;
  }

  async call<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: this.#token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  search(filter: Record<string, unknown>): Promise<Found> {
    return this.call('POST', '/api/admin/events/search', filter);
  }

  /** Makes a webhook for the events of PATCHes; returns its id. */
  async makeWebhook(url: string): Promise<number> {
    const { id } = await this.call<{ id: number }>('POST', '/api/admin/addons', {
      ...{ provider: 'webhook', enabled: true, description: 'bench', parameters: { url } },
      events: [patchEventType],
    });
    return id;
  }
}

export const patchEventType = 'feature-metadata-updated';
