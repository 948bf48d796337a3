import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { actionSetsOf, type Occasion, payloadOf, type Sender, senders } from '../../e2e/senders/senders.ts';
import { startRelay } from '../signal-relay/relay.ts';
import { type SenderName, signedHeaders } from '../signal-relay/signatures.ts';
import type { DemoOptions } from './options.ts';
import { callerOf, say, until } from './steps.ts';

const project = 'default';
const environment = 'development';
/** The root role that may switch every flag. */
const editor = 2;

interface Identified {
  id: number;
}

interface Target {
  url: string;
  path: string;
  token: string;
  flag: string;
}

/**
 * Sends what each sender of docs/signals.md sends when something alerts and when it is resolved, and waits until its
 * action sets have switched a flag off and on again.
 */
export async function demoSignals({ url, adminToken: { text: adminToken } }: DemoOptions): Promise<void> {
  const call = callerOf(url, adminToken);
  const suffix = Date.now().toString(36);
  const actor = await call<Identified>('POST', '/api/admin/service-account', {
    ...{ username: `demo-${suffix}`, name: `demo-${suffix}`, rootRole: editor },
  });
  try {
    for (const sender of senders) await demoSender(url, adminToken, sender, actor.id, suffix).catch(explainLimit);
  } finally {
    await call('DELETE', `/api/admin/service-account/${actor.id}`).catch(() => undefined);
  }
  say('all of it happened');
}

/** The demo removes all that it makes, so a limit is reached by what was there before, or by a demo that was killed. */
function explainLimit(error: unknown): never {
  if (!(error instanceof Error) || !error.message.includes('ExceedsLimitError')) throw error;
  const lists = `/api/admin/signal-endpoints and /api/admin/projects/${project}/actions`;
  throw new Error(
    `${error.message}\nThe demo needs room for one signal endpoint and two action sets of the project "${project}". Delete one that you do not need (they are listed at ${lists}), or start the system with a higher limit: UNLEASH_SIGNAL_ENDPOINTS_LIMIT, UNLEASH_ACTION_SETS_PER_PROJECT_LIMIT.`,
  );
}

async function demoSender(url: string, adminToken: string, sender: Sender, actorId: number, suffix: string) {
  const call = callerOf(url, adminToken);
  const name = `demo-${sender.name}-${suffix}`;
  const feature = `/api/admin/projects/${project}/features/${name}`;
  const sets = `/api/admin/projects/${project}/actions`;
  // What is made here is undone, last first. A failure of that does not hide one above.
  const undo: (() => Promise<unknown>)[] = [];
  try {
    await call('POST', `/api/admin/projects/${project}/features`, { name, type: 'kill-switch' });
    undo.push(() => call('DELETE', `/api/admin/archive/${name}`));
    undo.push(() => call('PATCH', feature, [{ op: 'replace', path: '/archived', value: true }]));
    await call('POST', `${feature}/environments/${environment}/on`);
    const endpoint = await call<Identified>('POST', '/api/admin/signal-endpoints', { name, ratePerSecond: 20 });
    undo.push(() => call('DELETE', `/api/admin/signal-endpoints/${endpoint.id}`));
    const tokens = `/api/admin/signal-endpoints/${endpoint.id}/tokens`;
    const { token } = await call<{ token: string }>('POST', tokens, { name: sender.name });
    for (const set of actionSetsOf(sender, { endpointId: endpoint.id, actorId, project, environment, flag: name })) {
      const { id } = await call<Identified>('POST', sets, { ...set, name: `${set.name} ${suffix}` });
      undo.push(() => call('DELETE', `${sets}/${id}`));
    }

    const isOn = async () => {
      const { environments } = await call<{ environments: { name: string; enabled: boolean }[] }>('GET', feature);
      return environments.some((each) => each.name === environment && each.enabled);
    };
    const to = { url, path: `/api/signal-endpoint/${name}`, token, flag: name };
    const offMs = await react(sender, 'alert', to, async () => !(await isOn()));
    const onMs = await react(sender, 'resolved', to, isOn);
    say(`${sender.name}: the alert switched the flag off in ${offMs} ms, its resolution switched it on in ${onMs} ms`);
  } finally {
    for (const step of undo.toReversed()) await step().catch(() => undefined);
  }
}

/** Sends, and returns how long it took until the flag was switched. */
async function react(sender: Sender, occasion: Occasion, to: Target, isDone: () => Promise<boolean>): Promise<number> {
  const sentAt = Date.now();
  await send(sender, payloadOf(sender, occasion, to.flag), to);
  await until(`the flag is switched by ${sender.name}: ${occasion}`, isDone);
  return Date.now() - sentAt;
}

/** Sends as the sender does: with the token, or signed to a relay. */
async function send(sender: Sender, body: string, { url, path, token }: Target): Promise<void> {
  if (!sender.isRelayed) return sendWithToken(url + path, token, body);
  const secret = randomUUID();
  const name = sender.name as SenderName;
  const options = { sender: name, secret, url: url + path, token, host: '127.0.0.1', port: 0 };
  const relay = await startRelay(options, () => {});
  try {
    const headers = signedHeaders(name, secret, randomUUID(), body);
    const answer = await fetch(`http://127.0.0.1:${relay.port}/`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`the relay of ${name} answered ${answer.status}: ${await answer.text()}`);
  } finally {
    await relay.stop();
  }
}

/** Sends again after 429, when the endpoint accepts the next signal. */
async function sendWithToken(url: string, token: string, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await until('the endpoint accepts a signal', async () => {
    const given = await fetch(url, { method: 'POST', headers, body });
    if (given.status !== 429) return given;
    await pause(Number(given.headers.get('retry-after')) * 1000);
    return null;
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
}
