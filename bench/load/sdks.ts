import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../system/api.ts';
import type { Sdks } from './jobs.ts';

/** The default interval of the public SDKs. */
const pollMs = 15_000;
const changeMs = 1_000;

/** Returns how many whole listings the SDKs got. Their hydrations and listings are read and thrown away. */
export async function countListings(job: Sdks): Promise<number> {
  const ending = new AbortController();
  // One after another, as instances of an application start.
  for (const token of job.tokens) await stream(job, token, ending.signal);
  const timer = setTimeout(() => ending.abort(), job.seconds * 1_000);
  const polls = job.tokens.map((token) => poll(job, token, ending.signal));
  await change(job, ending.signal);
  clearTimeout(timer);
  return (await Promise.all(polls)).reduce((sum, count) => sum + count, 0);
}

/** Resolves when the stream is open. */
async function stream({ gateway }: Sdks, token: string, signal: AbortSignal): Promise<void> {
  const url = `${gateway}/api/client/streaming`;
  const response = await fetch(url, { headers: { authorization: token }, signal });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  void response.body!.pipeTo(new WritableStream(), { signal }).catch(() => {});
}

async function poll({ gateway }: Sdks, token: string, signal: AbortSignal): Promise<number> {
  const url = `${gateway}/api/client/features`;
  let etag = '';
  let listings = 0;
  while (!signal.aborted) {
    const response = await fetch(url, { headers: { authorization: token, 'if-none-match': etag } });
    if (![200, 304].includes(response.status)) throw new Error(`${url} answered ${response.status}`);
    etag = response.headers.get('etag') ?? '';
    if (response.status === 200) listings += 1;
    await response.body?.pipeTo(new WritableStream());
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
  return listings;
}

async function change({ gateway, adminToken, project, flags }: Sdks, signal: AbortSignal): Promise<void> {
  const api = new Api(gateway, adminToken);
  for (let n = 0; !signal.aborted; n += 1) {
    const patch = [{ op: 'replace', path: '/description', value: `change ${n} of ${process.pid}` }];
    await api.call('PATCH', `/api/admin/projects/${project}/features/${flags[n % flags.length]}`, patch);
    await sleep(changeMs, undefined, { signal }).catch(() => {});
  }
}
