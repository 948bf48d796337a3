// `npm start`: everything that Yardarm needs, on this machine, until Ctrl-C.

import type { Undo } from './launch.ts';
import { installationIn, launch } from './launch.ts';
import { projectFolder, readOptions } from './options.ts';
import { onStopSignal } from './stop-signals.ts';

// Services get 12 s and then the servers 3, of which this is the sum: see stopServices and the servers' stop(). Whatever
// hangs longer is left to the guards, which end it when this process does.
const stopLimitMs = 15_000;

// Another working copy's services can be named: the launcher's own tests do.
const installation = installationIn(process.argv[2] ?? projectFolder);
const undos: Undo[] = [];
const stopping = new AbortController();
const say = (line: string) => console.log(line);

async function undo(): Promise<void> {
  for (const part of undos.toReversed()) {
    await part.stop().catch((error: Error) => console.error(`Stopping: ${error.message}`));
  }
}

async function stop(): Promise<void> {
  if (stopping.signal.aborted) return;
  stopping.abort();
  say('Stopping ...');
  setTimeout(() => process.exit(1), stopLimitMs).unref();
  await starting.catch(() => {});
  await undo();
  say('Stopped.');
  process.exit(0);
}

function force(): void {
  for (const part of undos) part.force?.();
  // 130 is what a shell says of a program that Ctrl-C ended.
  process.exit(130);
}

// A closed terminal or pipe must not end the launcher before its children: it hears of that by SIGHUP.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const starting = (async () => {
  const options = readOptions();
  onStopSignal(options.parentPid, () => void stop(), force);
  await launch(options, say, (part) => undos.push(part), stopping.signal, installation);
})();

try {
  await starting;
} catch (error) {
  if (!stopping.signal.aborted) {
    await undo();
    console.error(`Yardarm could not start: ${(error as Error).message}`);
    process.exit(1);
  }
}
