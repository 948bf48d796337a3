import type { Variant } from '@yardarm/shared/contracts/flags';
import { type AppError, badProperty, throwFirst } from '@yardarm/shared/errors';
import { type Weighted, wholeWeight, withWholeWeights } from './variant-weights.ts';

type Payload = NonNullable<Variant['payload']>;

type Unchecked = Weighted & { name: string; payload?: Payload | undefined };

/**
 * The order of the public product's: an SDK gives a user the variant at a place of the list, so the same writes have to
 * give the same list.
 */
const nameOrder = new Intl.Collator('en');

/**
 * The variants of a strategy, or of a flag in an environment, by name, with weights that sum to 1000. The first of the
 * request get the remaining thousandths. Throws `bad-data` that names property and value.
 */
export function checkedVariants<Checked extends Unchecked>(variants: readonly Checked[]): Checked[] {
  throwFirst(errorsOfVariants(variants));
  return withWholeWeights(variants)!.sort((one, other) => nameOrder.compare(one.name, other.name));
}

/** `bad-data` for each name that occurs twice, each payload of the wrong type, and weights without a sum. */
export function* errorsOfVariants(variants: readonly Unchecked[]): Generator<AppError> {
  const names = new Set<string>();
  for (const [index, { name, payload }] of variants.entries()) {
    if (names.has(name)) yield badProperty(['variants', index, 'name'], name, 'should be unique among the variants');
    names.add(name);
    const words = payload && payloadProblem(payload);
    if (words) yield badProperty(['variants', index, 'payload', 'value'], payload.value, words);
  }
  if (withWholeWeights(variants)) return;
  const weights = variants.map(({ weight, weightType }) => ({ weight, weightType }));
  yield badProperty(['variants'], weights, `should have weights that can sum to ${wholeWeight}`);
}

/** SDKs do not parse the payload. A value of the wrong type would fail in the application. */
export function payloadProblem({ type, value }: Payload): string | null {
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
