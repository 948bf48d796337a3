export interface PeriodicSender {
  /** Sends now. A call during another one waits for it and then sends. */
  send(): Promise<void>;
  /** Ends the period. What is being sent goes on. */
  stop(): void;
}

/** Calls `sendAll`, which never rejects, in each period. Only one call runs at a time. */
export function startPeriodicSender(sendAll: () => Promise<void>, everyMs: number): PeriodicSender {
  let sending: Promise<void> | null = null;

  async function send(): Promise<void> {
    while (sending !== null) await sending;
    sending = sendAll().finally(() => {
      sending = null;
    });
    await sending;
  }

  const timer = setInterval(() => {
    if (sending === null) void send();
  }, everyMs);
  timer.unref();
  return { send, stop: () => clearInterval(timer) };
}
