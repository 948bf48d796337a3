import { defaultSettings } from '@yardarm/shared/contracts/settings';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { Settings } from '@yardarm/shared/service';
import type { Tokens } from '../../auth/tokens.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import { maxCopyBytes, readCopyFile, removeUnfinished, writeCopyFile } from './copy-file.ts';
import { type CopyContents, fromLines, toLines } from './copy-lines.ts';

/**
 * The copy of what SDKs read, on disk: a gateway that starts while NATS, flags or accounts is away answers from it.
 * It has the environments that were read and the SDK tokens that were confirmed within `maxAgeMs`, and
 * the settings, which have no age. States:
 *
 *   written -> The file has the flags and the tokens of this process, and confirmations that are at most `renewMs` old.
 *   changed -> A flag, an environment, a token or a setting has changed. The file is written within seconds.
 *   failed  -> The last write failed, and the next is due after the same pause. The file is the one before.
 *   drained -> The file has the last state. A killed process leaves the state of its last write.
 *
 * Gateways may share the folder, and each write replaces the file. So a process that has reached neither flags nor
 * accounts writes nothing: what it has read there may be older than what another has written since.
 * A token that accounts refuses is no longer in memory, so the next write removes it. The copy is an optimisation of
 * starts: a gateway without a readable copy starts as one without the setting.
 */
export interface DiskCopy {
  /** Writes the file when something has changed. Never rejects. */
  write(): Promise<void>;
  /** Ends the timer and writes the last state. Never rejects. */
  drain(): Promise<void>;
}

/** What a killed process may lose. Each write costs time in proportion to all flags, however many changes it has. */
const pauseMs = 5_000;

/** The share of the time that writes may take is one hundredth: a large copy is written less often. */
const pauseFactor = 100;

/** A token in the copy of a killed gateway ends at most this much earlier. The shortest maximum age is an hour. */
const renewMs = 600_000;

const empty: CopyContents = { tokens: [], environments: [], settings: defaultSettings };

/** Empty, with a warning, when the file cannot be used. */
export async function readDiskCopy(folder: string, maxAgeMs: number, log: Logger): Promise<CopyContents> {
  try {
    const lines = await readCopyFile(folder);
    if (lines === null) return empty;
    await removeUnfinished(folder);
    const { tokens, environments, settings } = fromLines(lines);
    const oldest = Date.now() - maxAgeMs;
    const valid = tokens.filter(({ confirmedAt }) => confirmedAt >= oldest);
    // Without a token no SDK can read the environments, and the gateway is not ready.
    if (valid.length === 0) return { ...empty, settings };
    return { tokens: valid, environments: environments.filter(({ readAt }) => readAt >= oldest), settings };
  } catch (error) {
    log.warn({ folder, reason: coerceError(error).message }, 'the copy for SDKs is ignored');
    return empty;
  }
}

export interface DiskCopyOptions {
  folder: string;
  maxAgeMs: number;
  snapshots: Pick<Snapshots, 'readSince'>;
  tokens: Pick<Tokens, 'confirmed' | 'version'>;
  settings: Pick<Settings, 'current'>;
  log: Logger;
}

export function startDiskCopy({ folder, maxAgeMs, snapshots, tokens, settings, log }: DiskCopyOptions): DiskCopy {
  const environmentsNow = () => snapshots.readSince(Date.now() - maxAgeMs);
  /** Equal, element by element, while nothing but confirmations has changed. */
  const stateNow = (): unknown[] => {
    const environments = environmentsNow().map(({ snapshot }) => snapshot);
    environments.sort((a, b) => (a.environment < b.environment ? -1 : 1));
    return [tokens.version(), settings.current(), ...environments.flatMap((snapshot) => [snapshot, snapshot.version])];
  };
  /** When flags or accounts last answered for something in the copy, in epoch ms. */
  const confirmedAt = (): number => {
    const times = [
      ...environmentsNow().map(({ readAt }) => readAt),
      ...tokens.confirmed().map((each) => each.confirmedAt),
    ];
    return times.reduce((last, at) => Math.max(last, at), 0);
  };
  let written = stateNow();
  let writtenAt = performance.now();
  let writtenOf = confirmedAt();
  let writing: Promise<void> | null = null;
  let hasFailed = false;
  let warnedOf = '';
  let timer: NodeJS.Timeout | undefined;
  let isDrained = false;

  function isChanged(): boolean {
    const state = stateNow();
    return state.length !== written.length || state.some((value, index) => value !== written[index]);
  }

  const isConfirmed = () => confirmedAt() > writtenOf;

  async function writeAll(): Promise<void> {
    const state = stateNow();
    const at = confirmedAt();
    const leftOut: string[] = [];
    try {
      const contents = { tokens: tokens.confirmed(), environments: environmentsNow(), settings: settings.current() };
      await writeCopyFile(folder, toLines(contents, maxCopyBytes, leftOut));
      written = state;
      writtenAt = performance.now();
      writtenOf = at;
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.warn({ folder, err: coerceError(error) }, 'the copy for SDKs cannot be written');
      hasFailed = true;
    }
    if (leftOut.length > 0 && leftOut.join() !== warnedOf)
      log.warn({ leftOut, maxCopyBytes }, 'the copy for SDKs has no room for these environments');
    warnedOf = leftOut.join();
  }

  /** Only one runs at a time. A call during another waits for it and then writes. */
  async function write(): Promise<void> {
    while (writing !== null) await writing;
    writing = writeAll().finally(() => {
      writing = null;
    });
    await writing;
  }

  function schedule(afterMs: number): void {
    timer = setTimeout(async () => {
      const startedAt = performance.now();
      if (isChanged() || (startedAt - writtenAt > renewMs && isConfirmed())) await write();
      if (!isDrained) schedule(Math.max(pauseMs, pauseFactor * (performance.now() - startedAt)));
    }, afterMs);
    timer.unref();
  }
  schedule(pauseMs);

  return {
    async write() {
      if (isChanged()) await write();
    },
    async drain() {
      isDrained = true;
      clearTimeout(timer);
      if (isChanged() || isConfirmed()) await write();
    },
  };
}
