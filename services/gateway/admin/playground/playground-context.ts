import { maxContextText, maxPlaygroundEvaluations } from '@yardarm/shared/contracts/flags';
import { badProperty } from '@yardarm/shared/errors';
import { z } from 'zod';

/** As in the public product, scripts may send numbers and booleans. */
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const field = text.nullish();

/** The fields that SDKs name, and others beside them or in `properties`. */
export const sdkContextSchema = z
  .looseObject({
    appName: text.refine((name) => name !== '', 'should not be empty'),
    currentTime: z.iso
      .datetime({ offset: true, error: 'should be a date and time, as in 2026-01-31T12:00:00Z' })
      .nullish(),
    environment: field.describe('Only constraints use it'),
    remoteAddress: field,
    sessionId: field,
    userId: field,
    properties: z.record(z.string(), text).nullish(),
  })
  .meta({ id: 'sdkContextSchema', examples: [{ appName: 'shop', userId: '7', properties: { country: 'NO' } }] });

type SdkContext = z.output<typeof sdkContextSchema>;

/**
 * The fields of a context beside each other. A field at the top has precedence over one in `properties`. SDKs count
 * numbers and booleans as their texts; with `onlyTexts` they are invalid. Also the names at the top that are invalid.
 */
export function flatContext(
  { properties, ...top }: SdkContext,
  { onlyTexts }: { onlyTexts: boolean },
): { fields: [string, string][]; invalid: string[] } {
  const fields = new Map(Object.entries(properties ?? {}));
  const invalid: string[] = [];
  const accepted = onlyTexts ? ['string'] : ['string', 'number', 'boolean'];
  for (const [name, value] of Object.entries(top)) {
    if (accepted.includes(typeof value)) fields.set(name, String(value));
    else if (!(name in sdkContextSchema.shape)) invalid.push(name);
  }
  return { fields: [...fields], invalid };
}

/** The values of a field, with commas between them. Throws for more than the limit before they occupy memory. */
export function valuesOf(name: string, text: string): string[] {
  const values = text.split(',', maxPlaygroundEvaluations + 1);
  if (values.length > maxPlaygroundEvaluations) {
    throw badProperty(['context', name], text, `should have at most ${maxPlaygroundEvaluations} values`);
  }
  return values.map((value) => shortText(name, value));
}

/** Returns the value of a field. Throws if it is longer than constraints may compare. */
export function shortText(name: string, value: string): string {
  if (value.length <= maxContextText) return value;
  throw badProperty(['context', name], value, `should have values of at most ${maxContextText} characters`);
}
