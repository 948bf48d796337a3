import type { IncomingHttpHeaders } from 'node:http';

/** A span as a collector gets it. Ids are hexadecimal. */
export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty at the root of a trace. */
  parentSpanId: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  attributes: Record<string, string | number | boolean>;
  resource: Record<string, string | number | boolean>;
  /** The spans that it links to, as `<trace id> <span id>`. */
  links: string[];
  isError: boolean;
}

/** One field of a protobuf message: its number, and its bytes or its number as they are on the wire. */
type Field = { number: number; bytes: Buffer; value: bigint };

const noBytes: Buffer = Buffer.alloc(0);

/** Reads the wire format of protobuf: https://protobuf.dev/programming-guides/encoding/. */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const field: Field = { number: tag >> 3, bytes: noBytes, value: 0n };
    const type = tag & 7;
    if (type === 0) field.value = varint();
    else if (type === 1) field.bytes = take(8);
    else if (type === 2) field.bytes = take(Number(varint()));
    else if (type === 5) field.bytes = take(4);
    else throw new Error(`the wire type ${type} does not exist`);
    fields.push(field);
  }
  return fields;
}

const allOf = (fields: readonly Field[], number: number) => fields.filter((field) => field.number === number);
const one = (fields: readonly Field[], number: number): Field =>
  allOf(fields, number)[0] ?? { number, bytes: noBytes, value: 0n };

function attributesIn(fields: readonly Field[], number: number): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    allOf(fields, number).map(({ bytes }) => {
      const pair = fieldsOf(bytes);
      const [value] = fieldsOf(one(pair, 2).bytes);
      return [one(pair, 1).bytes.toString(), attributeValue(value!)];
    }),
  );
}

function attributeValue({ number, bytes, value }: Field): string | number | boolean {
  if (number === 1) return bytes.toString();
  if (number === 2) return value === 1n;
  return number === 3 ? Number(BigInt.asIntN(64, value)) : bytes.readDoubleLE();
}

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

/** The spans of an export of OTLP/HTTP in protobuf: opentelemetry/proto/collector/trace/v1/trace_service.proto. */
export function spansIn(body: Buffer): ReceivedSpan[] {
  return allOf(fieldsOf(body), 1).flatMap(({ bytes }) => {
    const resourceSpans = fieldsOf(bytes);
    const resource = attributesIn(fieldsOf(one(resourceSpans, 1).bytes), 1);
    const scopes = allOf(resourceSpans, 2).map((scope) => fieldsOf(scope.bytes));
    const spans = scopes.flatMap((scope) => allOf(scope, 2));
    return spans.map((span) => spanOf(fieldsOf(span.bytes), resource));
  });
}

function spanOf(span: readonly Field[], resource: ReceivedSpan['resource']): ReceivedSpan {
  const hex = (fields: readonly Field[], number: number) => one(fields, number).bytes.toString('hex');
  const links = allOf(span, 13).map(({ bytes }) => fieldsOf(bytes));
  return {
    service: String(resource['service.name']),
    ...{ traceId: hex(span, 1), spanId: hex(span, 2), parentSpanId: hex(span, 4) },
    name: one(span, 5).bytes.toString(),
    kind: kinds[Number(one(span, 6).value)]!,
    attributes: attributesIn(span, 9),
    resource,
    links: links.map((link) => `${hex(link, 1)} ${hex(link, 2)}`),
    isError: one(fieldsOf(one(span, 15).bytes), 3).value === 2n,
  };
}

export interface ReceivedExport {
  path: string;
  headers: IncomingHttpHeaders;
}
