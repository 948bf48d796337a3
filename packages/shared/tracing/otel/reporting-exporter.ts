import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../log/index.ts';

type Done = Parameters<SpanExporter['export']>[1];

/**
 * Logs when the collector stops to take spans, and when it takes them again:
 *
 *   working --a batch is lost--> failing --a batch is taken--> working
 *
 * working  Nothing is logged.
 * failing  The first lost batch was logged. The number of lost spans is logged when the collector works again.
 */
export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Logger;
  /** The spans that were lost since the collector failed. */
  #lost = 0;

  constructor(exporter: SpanExporter, log: Logger) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: Done): void {
    this.#exporter.export(spans, (result) => {
      // 0 is a success.
      if (result.code === 0) this.#reportTaken();
      else this.#reportLost(spans.length, result.error);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  #reportLost(count: number, error: (Error & { code?: string | number }) | undefined): void {
    // Not the error itself: it has the answer of the collector.
    const reason = [error?.code, error?.message].filter(Boolean).join(' ');
    if (this.#lost === 0) {
      this.#log.warn({ reason }, 'the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes no spans; they are lost');
    }
    this.#lost += count;
  }

  #reportTaken(): void {
    if (this.#lost > 0) this.#log.info({ lost: this.#lost }, 'the collector takes spans again');
    this.#lost = 0;
  }
}
