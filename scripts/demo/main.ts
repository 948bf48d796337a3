// Demonstrates a running system. Exits 0 only if all of it happened.
//   npm run demo             a flag, the real SDK, the event search and a webhook
//   npm run demo -- signals  the senders of docs/signals.md and the action sets that react to them
import { demoFlags } from './flags.ts';
import { readDemoOptions } from './options.ts';
import { demoSignals } from './signals.ts';
import { requireTokens } from './steps.ts';

const demos = { flags: demoFlags, signals: demoSignals };

try {
  const [name = 'flags'] = process.argv.slice(2);
  if (!Object.hasOwn(demos, name)) throw new Error(`there is no demo "${name}": ${Object.keys(demos).join(', ')}`);
  const options = readDemoOptions();
  await requireTokens(options);
  await demos[name as keyof typeof demos](options);
} catch (error) {
  process.stderr.write(`the demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
