// Hundreds of SDKs of one token open streams at once, as after a restart of their gateway.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { metrics } from '@yardarm/shared/telemetry';
import { administer, eventually, longTest, makeFlag, makeSdkToken, switchOn, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

/** Many more than are opened in a few turns. */
const count = 500;
/** The last ones, which wait the longest. */
const leavingCount = 100;
/** Sending as much to a client takes a good part of a turn. */
const parts = 20;
const partBytes = 15_000;

let system: TestSystem;
let ofMany: string;
let ofOne: string;
const clients: Client[] = [];

beforeAll(async () => {
  system = await startSystem();
  for (const project of ['many', 'one']) {
    await administer(system, 'POST', '/api/admin/projects', { id: project, name: project });
    await makeFlag(system, project, `flag-of-${project}`, { name: 'default' });
  }
  for (let part = 0; part < parts; part += 1)
    await makeFlag(system, 'many', `large-${part}`, {
      name: 'default',
      parameters: { filling: 'x'.repeat(partBytes) },
    });
  ofMany = await makeSdkToken(system, 'client', 'many');
  ofOne = await makeSdkToken(system, 'client', 'one');
  await system.processAll();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.destroy();
  await eventually(async () => expect(await gauge('sdk_streams')).toBe(0));
});
afterAll(() => system?.stop());

async function gauge(name: string): Promise<number> {
  const { values } = await metrics.getSingleMetric(`yardarm_gateway_${name}`)!.get();
  return values[0]!.value;
}

/** A connection that the gateway has accepted: it accepts one at a time, and requests should arrive together. */
class Client {
  readonly socket: Socket;
  text = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1').on('data', (data: string) => {
      this.text += data;
    });
    socket.on('error', () => undefined);
  }

  static async connect(): Promise<Client> {
    const { hostname, port } = new URL(system.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const client = new Client(socket);
    clients.push(client);
    client.get('/health', ofOne);
    await client.untilGot('GOOD');
    return client;
  }

  get(path: string, token: string): void {
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`);
  }

  /**
   * Waits without polling: the gateway accepts one connection for each turn of the event loop, and polls of hundreds of
   * clients would fill these turns. Throws when the connection is closed before.
   */
  async untilGot(text: string): Promise<void> {
    const closed = once(this.socket, 'close').then(() => {
      throw new Error(`closed after "${this.text}"`);
    });
    while (!this.has(text)) await Promise.race([once(this.socket, 'data'), closed]);
    closed.catch(() => undefined);
  }

  has(text: string): boolean {
    return this.text.includes(text);
  }
}

const connectMany = () => Promise.all(Array.from({ length: count }, () => Client.connect()));
const stream = (client: Client, token: string) => client.get('/api/client/streaming', token);
/** The flags are in the order of their names. */
const hasFirstEvent = (client: Client) => client.has('event: unleash-connected') && client.has('"large-9"');

test('streams of one token that are opened at once delay no poll and no stream of another token', async () => {
  const many = await connectMany();
  const [polling, streaming] = [await Client.connect(), await Client.connect()];
  for (const client of many) stream(client, ofMany);
  polling.get('/api/client/features', ofOne);
  stream(streaming, ofOne);
  await eventually(() => expect(polling.has('flag-of-one')).toBe(true));
  await eventually(() => expect(streaming.has('flag-of-one')).toBe(true));
  expect(await gauge('sdk_streams_waiting')).toBeGreaterThan(0);
  await eventually(() => expect(many.filter(hasFirstEvent)).toHaveLength(count));
  expect([await gauge('sdk_streams'), await gauge('sdk_streams_waiting')]).toEqual([count + 1, 0]);
});

longTest('a client that leaves while it waits is forgotten, and the others get a change of this time', async () => {
  const many = await connectMany();
  for (const client of many) stream(client, ofMany);
  await eventually(async () => expect(await gauge('sdk_streams_waiting')).toBeGreaterThan(leavingCount));
  const leaving = many.slice(-leavingCount);
  for (const { socket } of leaving) socket.destroy();
  const switched = switchOn(system, 'many', 'flag-of-many');
  await eventually(async () => expect(await gauge('sdk_streams')).toBe(count - leaving.length));
  await switched;
  const isOn = /"name":"flag-of-many"[^{}]*"enabled":true/;
  const staying = many.slice(0, -leavingCount);
  await eventually(() => expect(staying.filter(({ text }) => isOn.test(text))).toHaveLength(staying.length));
  expect(await gauge('sdk_streams_waiting')).toBe(0);
  expect(leaving.filter(hasFirstEvent)).toEqual([]);
});
