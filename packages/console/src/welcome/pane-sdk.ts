import type { UnleashClient } from 'unleash-proxy-client';
import { answer, api, publicUrl, write } from '../api/client.ts';

/** Long enough to try. The page may be closed at any time, so the token ends by itself. */
const tokenLifeMs = 3_600_000;

const tokenName = 'console-pane';

/** Seconds. An application asks every 15 s unless it is told otherwise. */
const refreshInterval = 1;

/** A token of its own, so that the pane is not taken for the SDK that the page waits for. */
export async function makePaneToken(projectId: string, environment: string): Promise<string> {
  const expiresAt = new Date(Date.now() + tokenLifeMs).toISOString();
  const { secret } = await write(() =>
    api.POST('/api/admin/projects/{projectId}/api-tokens', {
      params: { path: { projectId } },
      body: { type: 'frontend', environment, tokenName, expiresAt },
    }),
  );
  return secret;
}

/** Deletes the tokens of earlier panes, which have ended and would stay in the list of tokens. */
export async function deleteEndedTokens(projectId: string): Promise<void> {
  const { tokens } = await answer(
    api.GET('/api/admin/projects/{projectId}/api-tokens', { params: { path: { projectId } } }),
  );
  const now = new Date().toISOString();
  const ended = tokens.filter((token) => token.tokenName === tokenName && (token.expiresAt ?? now) < now);
  for (const { secret: token } of ended) {
    const params = { path: { projectId, token } };
    await write(() => api.DELETE('/api/admin/projects/{projectId}/api-tokens/{token}', { params }));
  }
}

export interface PaneState {
  /** Null before the first answer. */
  isOn: boolean | null;
  /** When the SDK saw it change, newest first. */
  changes: { isOn: boolean; at: string }[];
  problem: string | null;
}

export const noState: PaneState = { isOn: null, changes: [], problem: null };

/** Enough to see the last switches. */
const shownChanges = 5;

/** Runs the SDK of browsers in this page, with its flags in memory. Returns how to end it. */
export function runPaneSdk(flag: string, token: string, show: (update: (state: PaneState) => PaneState) => void) {
  let client: UnleashClient | null = null;
  let isEnded = false;
  const read = () => {
    const isOn = client!.isEnabled(flag);
    show((state) =>
      state.isOn === isOn
        ? { ...state, problem: null }
        : {
            isOn,
            changes: [{ isOn, at: new Date().toISOString() }, ...state.changes].slice(0, shownChanges),
            problem: null,
          },
    );
  };
  const fail = (error: unknown) =>
    show((state) => ({ ...state, problem: error instanceof Error ? error.message : 'The SDK got no answer.' }));

  async function start(): Promise<void> {
    const { InMemoryStorageProvider, UnleashClient } = await import('unleash-proxy-client');
    if (isEnded) return;
    client = new UnleashClient({
      ...{ url: `${publicUrl}/api/frontend`, clientKey: token, appName: tokenName, refreshInterval },
      // It is no application: its calls do not count as use of the flag.
      ...{ disableMetrics: true, storageProvider: new InMemoryStorageProvider() },
    });
    client.on('ready', read);
    client.on('update', read);
    client.on('error', fail);
    client.on('recovered', read);
    await client.start();
    if (isEnded) client.stop();
  }
  start().catch(fail);
  return () => {
    isEnded = true;
    client?.stop();
  };
}
