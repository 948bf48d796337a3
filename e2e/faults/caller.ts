/** Longer than the gateway takes for any answer. */
const answerLimitMs = 30_000;

/** Sends one request again and again. */
export interface Caller {
  /** The status of each answer, or the reason why there was none. */
  answers: string[];
  /** Stops after the answer to the request in flight. */
  stop(): Promise<void>;
}

/** Sends the request every `everyMs`, or later when the answer to the one before took longer. */
export function startCaller(url: string, everyMs: number, request: RequestInit): Caller {
  const answers: string[] = [];
  let isStopped = false;

  async function send(): Promise<string> {
    try {
      const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(answerLimitMs) });
      const text = await answer.text();
      return answer.ok ? String(answer.status) : `${answer.status} ${text}`;
    } catch (error) {
      const { message, cause } = error as Error;
      return `${message}: ${(cause as { code?: string } | undefined)?.code ?? 'no cause'}`;
    }
  }

  async function keepSending(): Promise<void> {
    while (!isStopped) {
      const next = new Promise((resolve) => setTimeout(resolve, everyMs));
      answers.push(await send());
      await next;
    }
  }

  const running = keepSending();
  return {
    answers,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
