// The frontend API and OFREP evaluate a flag as unleash-client does.
import type { TestSystem } from '@yardarm/testing';
import type { Context, Unleash } from 'unleash-client';
import { expect } from 'vitest';

/** What the gateway adds to a context of a request that has none, and the SDK's name. */
const requestDefaults = { appName: 'specification', sessionId: 'of a request', remoteAddress: '127.0.0.1' };

/** The context as a query, which has texts only. */
function queryOf({ properties = {}, ...fields }: Context): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) query.set(name, String(value));
  for (const [name, value] of Object.entries(properties)) query.set(`properties[${name}]`, String(value));
  return query.toString();
}

/** The value of a payload in OFREP. */
function payloadValue(payload: { type: string; value: string } | undefined): unknown {
  if (payload?.type === 'number') return Number(payload.value);
  return payload?.type === 'json' ? JSON.parse(payload.value) : payload?.value;
}

interface Toggle {
  name: string;
  variant: object;
}

interface OfrepEvaluation {
  key: string;
  variant?: string;
  value?: unknown;
}

/** A flag and a context of the specification. */
export interface HttpCase {
  system: TestSystem;
  frontendToken: string;
  flag: string;
  context: Context;
  description: string;
}

/** Evaluates a flag through both methods of the frontend API, where it is absent while off, and through OFREP. */
async function evaluate({ system, frontendToken, flag, context }: HttpCase) {
  const call = (method: string, path: string, body?: object) =>
    system.call(method, path, { token: frontendToken, ...(body && { body }) });
  const answers = [
    await call('POST', '/api/frontend', { context }),
    await call('GET', `/api/frontend?${queryOf(context)}`),
  ];
  const toggles = answers.map(({ body }) => body.toggles.find(({ name }: Toggle) => name === flag));
  const { properties, userId, ...fields } = context;
  const flat = { ...properties, ...fields, ...(userId !== undefined && { targetingKey: userId }) };
  const one = await call('POST', `/ofrep/v1/evaluate/flags/${flag}`, { context: flat });
  const all = await call('POST', '/ofrep/v1/evaluate/flags', { context: flat });
  const ofAll = all.body.flags.find(({ key }: OfrepEvaluation) => key === flag);
  // OFREP has no answer for an archived flag.
  const evaluations: OfrepEvaluation[] = one.status === 404 && ofAll === undefined ? [] : [one.body, ofAll];
  return { toggles: toggles as (Toggle | undefined)[], evaluations };
}

const offVariant = { name: 'disabled', enabled: false, feature_enabled: false, featureEnabled: false };

/** Compares whether the flag is on. */
export async function checkState(of: HttpCase, theirs: Unleash): Promise<void> {
  const { flag, description } = of;
  const context = { ...requestDefaults, ...of.context };
  const isOn = theirs.isEnabled(flag, context);
  const { toggles, evaluations } = await evaluate({ ...of, context });
  for (const toggle of toggles) expect([description, toggle !== undefined]).toEqual([description, isOn]);
  for (const { value } of evaluations)
    if (typeof value === 'boolean') expect([description, value]).toEqual([description, isOn]);
}

/** Compares the variant, and the value of OFREP. */
export async function checkVariant(of: HttpCase, theirs: Unleash): Promise<void> {
  const { flag, description } = of;
  const context = { ...requestDefaults, ...of.context };
  const expected = theirs.getVariant(flag, context);
  const { toggles, evaluations } = await evaluate({ ...of, context });
  for (const toggle of toggles)
    expect([description, toggle?.variant ?? offVariant]).toMatchObject([description, expected]);
  for (const { variant, value } of evaluations) {
    expect([description, variant]).toEqual([description, expected.enabled ? expected.name : undefined]);
    const ofFlag = typeof value === 'boolean' ? theirs.isEnabled(flag, context) : payloadValue(expected.payload);
    expect([description, value]).toEqual([description, ofFlag]);
  }
}
