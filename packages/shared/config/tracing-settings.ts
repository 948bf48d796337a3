import { z } from 'zod';
import { secret } from './secrets.ts';

/** The samplers of the OpenTelemetry specification that need no server. */
export const samplers = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
] as const;

const notPairs = 'should be name=value pairs with commas between, and values in percent-encoding';

/** Pairs as OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES have them: `a=1,b=two%20words`. */
const pairs = z.string().transform((text, context): Readonly<Record<string, string>> => {
  const read: Record<string, string> = {};
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~/-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    const decoded = decode(value);
    if (name === undefined || decoded === null) {
      context.addIssue(notPairs);
      return z.NEVER;
    }
    read[name] = decoded;
  }
  return read;
});

/** Null when the encoding is wrong, or when the value has characters that a header cannot carry. */
function decode(value = ''): string | null {
  try {
    const decoded = decodeURIComponent(value);
    return /^[\x20-\x7e]*$/.test(decoded) ? decoded : null;
  } catch {
    return null;
  }
}

const ratio = z
  .string()
  .refine((text) => /^(0|1|0?\.\d+|1\.0+|0\.0+)$/.test(text), 'should be a number from 0 to 1')
  .transform(Number);

/** The settings of traces, under the names of the OpenTelemetry specification. Every service has them. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'should be an http:// or https:// URL' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('The collector that gets the traces by OTLP/HTTP, at /v1/traces below this URL; no spans unless set'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal('http/protobuf', 'should be http/protobuf, the only protocol of this service')
    .default('http/protobuf')
    .describe('http/protobuf; other protocols are refused'),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    pairs.prefault('').describe('Headers for the collector, such as its key: name=value pairs with commas between'),
  ),
  OTEL_SERVICE_NAME: z.string().optional().describe('The name of the process in traces; yardarm-<service> unless set'),
  OTEL_RESOURCE_ATTRIBUTES: pairs
    .prefault('')
    .describe('Attributes of all spans: name=value pairs with commas between'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, `should be one of ${samplers.join(', ')}`)
    .default('parentbased_always_on')
    .describe(
      'Which traces are exported: parentbased_* decides as the traceparent of the caller says, and else as the rest of the name',
    ),
  OTEL_TRACES_SAMPLER_ARG: ratio
    .prefault('1')
    .describe('The share of traces that a sampler with traceidratio exports, from 0 to 1'),
};

export type TracingConfig = { [Name in keyof typeof tracingSettings]: z.output<(typeof tracingSettings)[Name]> };
