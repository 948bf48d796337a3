// Proves, with an authority of the test: a server is used only with a certificate of that authority which has the name
// of the address and has not expired; what is wrong is said; a server may require a certificate of the client.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isLongRun, longTest, startTestNats, type TestNats } from '@yardarm/testing';
import { makeAuthority } from '@yardarm/testing/certificates';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Bus } from './bus.ts';
import type { TlsFiles } from './bus-options.ts';
import { connectBus } from './connect-bus.ts';
import { connectInBackground } from './connect-in-background.ts';
import { keepingLogger } from './testing/bus-rig.ts';
import { pollUntil } from './waiting.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-tls-'));
const authority = makeAuthority(folder);
const stranger = makeAuthority(folder, 'stranger');
const names = ['DNS:localhost', 'IP:127.0.0.1'];
const right = authority.issue('right', names);
const client = authority.issue('client', ['DNS:flags']);
const { log, lines } = keepingLogger();
const open: Bus[] = [];
let nats: TestNats;

beforeAll(async () => {
  nats = await startTestNats({ tls: { ...right, caFile: authority.caFile } });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((bus) => bus.drain()));
  lines.length = 0;
});
afterAll(async () => {
  await nats?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function restart(tls: { certFile: string; keyFile: string; verify?: boolean }): Promise<void> {
  await nats.kill();
  await nats.start({ tls: { ...tls, caFile: authority.caFile } });
}

function busWith(tls: TlsFiles, host = 'localhost'): Bus {
  const url = nats.url.replace('127.0.0.1', host);
  const bus = connectInBackground(connectBus, { url, name: 'flags', prefix: '', log, tls });
  open.push(bus);
  return bus;
}

const ca = authority.caFile;

test.each(['localhost', '127.0.0.1'])('a server with a certificate of the authority is used under %s', async (host) => {
  const bus = busWith({ ca }, host);
  await bus.connected();
  expect(bus.state()).toMatchObject({ connected: true, problem: null });
});

test.each([
  ['has expired', authority.issue('expired', names, -1)],
  ['is for another name than the address has', authority.issue('other-name', ['DNS:other.example'])],
  ['is not signed by an authority that this process trusts', stranger.issue('foreign', names)],
])('a server whose certificate %s is refused, and the log and the state say so', async (problem, certificate) => {
  await restart(certificate);
  const bus = busWith({ ca });
  await pollUntil(async () => expect(bus.state().problem).toBe(`the certificate of a NATS server ${problem}`));
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'no connection to NATS yet, retrying', reason: bus.state().problem }),
  );
  expect(bus.state().connected).toBe(false);

  // The reader of the files is the client, at each attempt: no restart is needed.
  await restart(right);
  await bus.connected();
});

// The reason is looked for ten seconds after the loss, so it takes as long.
if (isLongRun)
  test('a connected process whose server has an expired certificate says why it is away', async () => {
    await restart(right);
    const bus = busWith({ ca });
    await bus.connected();
    await restart(authority.issue('renewed-late', names, -1));
    await pollUntil(
      async () => expect(bus.state().problem).toBe('the certificate of a NATS server has expired'),
      30_000,
    );
    await restart(right);
    await pollUntil(async () => expect(bus.state()).toMatchObject({ connected: true, problem: null }), 30_000);
  });

longTest('a server that requires a certificate of the client accepts one of its authority alone', async () => {
  await restart({ ...right, verify: true });
  const without = busWith({ ca });
  const ofStranger = stranger.issue('stranger-client', ['DNS:flags']);
  const foreign = busWith({ ca, cert: ofStranger.certFile, key: ofStranger.keyFile });
  const bus = busWith({ ca, cert: client.certFile, key: client.keyFile });
  await bus.connected();
  for (const refused of [without, foreign]) {
    await pollUntil(async () => expect(refused.state().problem).not.toBeNull());
    expect(refused.state().connected).toBe(false);
  }
  await restart(right);
});

test('a server without TLS is refused when an authority is set', async () => {
  await nats.kill();
  await nats.start({ tls: undefined });
  const bus = busWith({ ca });
  await pollUntil(async () => expect(bus.state().problem).toContain('tls'));
});
