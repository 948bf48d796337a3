import type { Bus } from '@yardarm/shared/bus';
import { newActionSetSchema, signalPayloadSchema, testActionSet } from '@yardarm/shared/contracts/signals';
import { refuseUnserializable } from '@yardarm/shared/errors';
import { z } from 'zod';
import { signalBounds } from '../routing/body-bounds.ts';
import { parse } from '../routing/parse.ts';
import { defaultBodyLimitBytes } from '../routing/read-body.ts';
import { ofContract, type Route, route } from '../routing/route.ts';
import { memberText } from './member-text.ts';
import { jsonText } from './signal-body.ts';

/** The payload is within the body, beside a set. */
const bounds = { ...signalBounds, levels: signalBounds.levels + 1 };

const body = z.object({
  actionSet: newActionSetSchema,
  payload: signalPayloadSchema.optional(),
  signalId: testActionSet.input.shape.signalId.meta({
    description: 'The id of a stored signal, whose payload is tested in place of `payload`',
    examples: [310],
  }),
});

/** POST .../actions/test. The payload is passed on as the text that was sent, as that of a signal is. */
export function testActionsRoute(bus: Bus, path: string): Route {
  return route({
    ...ofContract(testActionSet),
    method: 'post',
    path,
    operationId: 'testActions',
    tag: 'Actions',
    audience: 'admin',
    params: z.object({ projectId: z.string() }),
    body,
    readsBytes: true,
    bodyLimitBytes: defaultBodyLimitBytes,
    answer: { status: 200, schema: testActionSet.output },
    async handle({ params: { projectId }, bytes, context }) {
      const text = bytes.length === 0 ? '{}' : jsonText(bytes, bounds);
      const { payload, ...sent } = Object(JSON.parse(text));
      refuseUnserializable(sent);
      const { actionSet, signalId } = parse(body, sent);
      const payloadText = payload === undefined ? undefined : memberText(text, 'payload');
      const input = { projectId, actionSet, payloadText, signalId };
      return { status: 200, body: await bus.request(testActionSet, input, context) };
    },
  });
}
