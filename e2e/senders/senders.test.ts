import { readFileSync } from 'node:fs';
import path from 'node:path';
import { newActionSetSchema } from '@yardarm/shared/contracts/signals';
import { describe, expect, it } from 'vitest';
import { actionSetsOf, payloadOf, senders } from './senders.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/signals.md'), 'utf8');

/** The JSON in the page's section of a sender. */
function documented(name: string): unknown {
  const section = page.split(/^### /m).find((part) => part.toLowerCase().startsWith(name));
  const [, json] = /```json\n([\s\S]*?)```/.exec(section ?? '') ?? [];
  return json && JSON.parse(json);
}

describe.each(senders.map((sender) => [sender.name, sender] as const))('%s', (name, sender) => {
  it('has the filters and the flag that the page shows', () => {
    const { alert, resolved, flagAt } = sender;
    const featureName = flagAt === undefined ? 'checkout-v2' : `{{payload.${flagAt}}}`;
    expect(documented(name)).toEqual({ alert, resolved, featureName });
  });

  it('has action sets that the contract accepts', () => {
    const place = { endpointId: 1, actorId: 2, project: 'default', environment: 'production', flag: 'checkout-v2' };
    for (const set of actionSetsOf(sender, place))
      expect(newActionSetSchema.safeParse(set)).toMatchObject({ success: true });
  });

  it.each(['alert', 'resolved'] as const)('sends JSON below 100 kB that names the flag, if any: %s', (occasion) => {
    const text = payloadOf(sender, occasion, 'another-flag');
    expect(Buffer.byteLength(text)).toBeLessThan(100_000);
    const payload = JSON.parse(text);
    const at = sender.flagAt?.split('.').reduce((value, key) => value[key], payload);
    expect(at).toBe(sender.flagAt && 'another-flag');
    expect(text).not.toContain('checkout-v2');
  });
});
