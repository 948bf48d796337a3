// Receives the webhooks of a sender that cannot set an Authorization header, and sends them to a signal endpoint with
// its token. Put it behind a proxy with TLS.
import { readRelayOptions } from './options.ts';
import { startRelay } from './relay.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);

try {
  const options = readRelayOptions();
  const relay = await startRelay(options, say);
  say(`relays webhooks of ${options.sender} from http://${options.host}:${relay.port} to ${options.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void relay.stop());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
