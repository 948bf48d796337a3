import type { Variant } from '@yardarm/shared/contracts/flags';
import { badProperty } from '@yardarm/shared/errors';
import { type Weighted, wholeWeight, withWholeWeights } from './variant-weights.ts';

type Payload = NonNullable<Variant['payload']>;

/**
 * The variants of a strategy, or of a flag in an environment, with weights that sum to 1000. Throws `bad-data` that
 * names property and value for a name that occurs twice, a payload of the wrong type, and weights without a sum.
 */
export function checkedVariants<Checked extends Weighted & { name: string; payload?: Payload | undefined }>(
  variants: readonly Checked[],
): Checked[] {
  const names = new Set<string>();
  for (const [index, { name, payload }] of variants.entries()) {
    if (names.has(name)) throw badProperty(['variants', index, 'name'], name, 'should be unique among the variants');
    names.add(name);
    const words = payload && payloadFault(payload);
    if (words) throw badProperty(['variants', index, 'payload', 'value'], payload.value, words);
  }
  const weighted = withWholeWeights(variants);
  if (weighted) return weighted;
  const weights = variants.map(({ weight, weightType }) => ({ weight, weightType }));
  throw badProperty(['variants'], weights, `should have weights that can sum to ${wholeWeight}`);
}

/** SDKs do not parse the payload. A value of the wrong type would fail in the application. */
export function payloadFault({ type, value }: Payload): string | null {
  switch (type) {
    case 'number':
      return value.trim() !== '' && Number.isFinite(Number(value)) ? null : 'should be a number';
    case 'csv':
      return isCsv(value) ? null : 'should be CSV: values between commas, each quote closed';
    case 'json':
      return isJson(value) ? null : 'should be JSON';
    case 'string':
      return null;
  }
}

/** A field that begins with a quote ends with one, and the quotes between are doubled. Any other field is free text. */
const csvField = /("[^"]*(""[^"]*)*"|[^",\r\n][^,\r\n]*|)(,|\r\n?|\n|$)/y;

function isCsv(value: string): boolean {
  csvField.lastIndex = 0;
  while (csvField.lastIndex < value.length) if (!csvField.test(value)) return false;
  return value !== '';
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
