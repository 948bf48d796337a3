// `npm run compare`: sends the same requests to Yardarm and to unleash-server, and prints how their answers differ.
// Exits 1 if a difference is not among the known ones (known-differences.ts), and 2 if a system cannot be run.
//   npm run compare               both systems are started in a temporary folder
//   npm run compare -- --all      also prints each known difference
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Difference, differencesOf } from './differences.ts';
import { knownDifferences } from './known-differences.ts';
import { startPeer } from './peer.ts';
import { report } from './report.ts';
import { type ApiDocument, type ComparedRequest, requestsOfRoutes, type Saved } from './requests.ts';
import { readScenario } from './scenario.ts';
import { Session } from './session.ts';
import { type Login, type System, startYardarm } from './system.ts';

const login: Login = { adminToken: '*:*.compare-admin-token-0123456789', password: 'Compare-4all!password' };

/** unleash-server caches the listing for SDKs: after 2.5 s it had each change, after 0.6 s not always. */
const settleMs = 3_000;

/** What the path parameters of the routes stand for, beside what the scenario saves. */
const names: Saved = {
  ...{ projectId: 'default', environment: 'development', environmentId: 'development', featureName: 'compare-a' },
  ...{ child: 'compare-b', parent: 'compare-a', contextField: 'compareField', legalValue: 'a', appName: 'shop' },
  ...{ type: 'simple', value: 'second', strategyName: 'compareStrategy', id: '1', name: 'development' },
  ...{ roleId: '1', groupId: '1', eventId: '1', token: 'no-token', tokenId: '1', linkId: '1', actionSetId: '1' },
  ...{ signalEndpointId: '1', key: 'compare-a' },
};

const scenario = readScenario(readFileSync(new URL('scenario.txt', import.meta.url), 'utf8'));

async function compare(yardarm: Session, peer: Session): Promise<{ differences: Difference[]; count: number }> {
  const differences: Difference[] = [];
  let count = 0;
  const sendAll = async (requests: readonly ComparedRequest[]) => {
    for (const request of requests) {
      const [ours, theirs] = await Promise.all([yardarm.send(request), peer.send(request)]);
      differences.push(...differencesOf(`${request.method} ${request.path}`, ours, theirs));
      count += 1;
    }
  };
  await sendAll(scenario.changes);
  await sleep(settleMs);
  await sendAll(scenario.reads);
  const document = (await yardarm.send({ method: 'GET', path: '/docs/openapi.json', as: 'nobody' }))
    .body as ApiDocument;
  await sendAll(requestsOfRoutes(document, names));
  await sendAll(scenario.deletions);
  return { differences, count };
}

const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-compare-'));
const systems: System[] = [];
const start = async (starting: Promise<System>) => {
  const system = await starting;
  systems.push(system);
  return system;
};
try {
  const say = (line: string) => console.log(line);
  const [yardarm, peer] = [await start(startYardarm(folder, login)), await start(startPeer(folder, login, say))];
  say('Comparing the answers');
  const sessions = [new Session(yardarm, login), new Session(peer, login)] as const;
  await Promise.all(sessions.map((session) => session.logIn()));
  const { differences, count } = await compare(...sessions);
  const { lines, unknown } = report(differences, knownDifferences, { all: process.argv.includes('--all') });
  for (const line of lines) say(line);
  say(`${count} requests, ${differences.length} differences, ${unknown} unknown`);
  process.exitCode = unknown > 0 ? 1 : 0;
} catch (error) {
  console.error(`The comparison failed: ${(error as Error).message}`);
  process.exitCode = 2;
} finally {
  for (const system of systems) await system.stop();
  rmSync(folder, { recursive: true, force: true });
}
