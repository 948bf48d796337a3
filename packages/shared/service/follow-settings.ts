import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Bus } from '../bus/index.ts';
import type { RequestContract } from '../contracts/contract.ts';
import { defaultSettings, getSettings, type SystemSettings, settingsChangedHint } from '../contracts/settings.ts';
import { AppError, coerceError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import { WakeUp } from '../waiting/index.ts';

/** With it a change is felt within 2 s, also when its hint is lost. Accounts reads two rows for an answer. */
const pollMs = 1_000;

/** Accounts answers in milliseconds. A service waits as long for the first answer when it starts. */
const answerLimitMs = 2_000;

/**
 * The stored settings, in each process. States:
 *
 *   unknown  Accounts has not answered since the start. The settings are those of the disk copy, else the defaults: a
 *            system whose accounts is older or away can be used.
 *   known    The settings are those of the last answer, however long ago: also while accounts or NATS is away.
 *
 * A hint, a new connection and a second without either make the process ask again.
 */
export interface Settings {
  /** The same object until a setting changes. */
  current(): SystemSettings;
  /** Resolves when the first request has ended, with an answer or without. Never rejects. */
  readonly asked: Promise<void>;
  /** Throws `maintenance` for what writes, while maintenance mode is on. */
  requireWritable(what: { writes?: RequestContract['writes'] | undefined }): void;
  /** Asks now. Never rejects. */
  refresh(): Promise<void>;
  stop(): void;
}

export type SettingsBus = Pick<Bus, 'request' | 'onHint' | 'onStatus'>;

/** Begins to follow the settings. The first request is in flight when it returns. */
export function followSettings(bus: SettingsBus, log: Logger, known: SystemSettings = defaultSettings): Settings {
  let current = known;
  let sent = 0;
  /** The number of the request that `current` answers. An answer may overtake that of an earlier request. */
  let answered = 0;
  const wakeUp = new WakeUp();
  const stopping = new AbortController();

  async function refresh(): Promise<void> {
    sent += 1;
    const number = sent;
    const deadline = Date.now() + answerLimitMs;
    const context = { requestId: randomUUID(), actor: null, deadline, traceparent: null };
    try {
      const latest = await bus.request(getSettings, {}, context);
      if (number < answered) return;
      answered = number;
      if (!isDeepStrictEqual(latest, current)) current = latest;
    } catch (error) {
      log.debug({ err: coerceError(error) }, 'accounts did not answer with the settings');
    }
  }

  /** A request does not wait for the one before, whose answer is lost when accounts ends. */
  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      await wakeUp.wait(pollMs, stopping.signal);
      if (!stopping.signal.aborted) void refresh();
    }
  }

  bus.onHint(settingsChangedHint, () => wakeUp.wake());
  const stopListening = bus.onStatus((isConnected) => {
    if (isConnected) wakeUp.wake();
  });
  const asked = refresh();
  void follow();

  return {
    current: () => current,
    asked,
    requireWritable({ writes }) {
      if (writes === true && current.maintenanceMode) throw inMaintenance();
    },
    refresh,
    stop() {
      stopListening();
      stopping.abort();
    },
  };
}

/** The refusal of a write in maintenance mode. */
export function inMaintenance(): AppError {
  return new AppError(
    'maintenance',
    'Yardarm is in maintenance mode: nothing can be changed until an administrator ends it. Nothing was done.',
  );
}
