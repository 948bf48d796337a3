// `npm start`: runs everything that Yardarm needs on this machine, until Ctrl-C.

import type { Undo } from './launch.ts';
import { installationIn, launch } from './launch.ts';
import { projectFolder, readOptions } from './options.ts';
import { onStopSignal } from './stop-signals.ts';

// The sum of 12 s for the services and 3 s for the servers: see stopServices and the servers' stop(). The guards end
// what hangs longer when this process ends. The time of a start that is interrupted does not count: it waits for no
// server, but ends making the cluster or migrating first, which takes as long as the machine needs.
const stopLimitMs = 15_000;

// The launcher's tests pass the folder of other services.
const installation = installationIn(process.argv[2] ?? projectFolder);
const undos: Undo[] = [];
const stopping = new AbortController();
const say = (line: string) => console.log(line);

async function undo(): Promise<void> {
  setTimeout(() => process.exit(1), stopLimitMs).unref();
  for (const part of undos.toReversed()) {
    await part.stop().catch((error: Error) => console.error(`Stopping: ${error.message}`));
  }
}

async function stop(): Promise<void> {
  if (stopping.signal.aborted) return;
  stopping.abort();
  say('Stopping ...');
  await starting.catch(() => {});
  await undo();
  say('Stopped.');
  process.exit(0);
}

/** A service cannot run with its settings. The reason is the last line. */
async function fail(error: Error): Promise<void> {
  if (stopping.signal.aborted) return;
  stopping.abort();
  await starting.catch(() => {});
  await undo();
  console.error(`Yardarm cannot run: ${error.message}`);
  process.exit(1);
}

function force(): void {
  for (const part of undos) part.force?.();
  // 130 is the shell's code for a program that Ctrl-C ended.
  process.exit(130);
}

// A closed terminal or pipe must not end the launcher before its children. The launcher gets SIGHUP for that.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const starting = (async () => {
  const options = readOptions();
  onStopSignal(options.parentPid, () => void stop(), force);
  const onFailure = (error: Error) => void fail(error);
  await launch(options, say, (part) => undos.push(part), onFailure, stopping.signal, installation);
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
