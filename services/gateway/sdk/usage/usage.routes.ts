import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import type { GatewayConfig } from '../../config.ts';
import { clientReport, frontendReport } from '../../routing/body-bounds.ts';
import { createRateLimit } from '../../routing/rate-limit.ts';
import { type Audience, type Call, type Route, route } from '../../routing/route.ts';
import {
  bulkBody,
  metricsBody,
  readBulk,
  readMetrics,
  readRegistration,
  registrationBody,
  type Sender,
  type SentUsage,
} from './sent-usage.ts';
import type { Usage } from './usage.ts';

/** What SDKs report. The answer says that the report was understood, and does not wait until it is stored. */
export function usageRoutes(usage: Usage, settings: GatewayConfig): Route[] {
  const clientMetrics = createRateLimit(settings.CLIENT_METRICS_RATE_LIMIT_PER_MINUTE);
  const frontendMetrics = createRateLimit(settings.FRONTEND_METRICS_RATE_LIMIT_PER_MINUTE);
  const clientRegistrations = createRateLimit(settings.REGISTER_CLIENT_RATE_LIMIT_PER_MINUTE);
  const frontendRegistrations = createRateLimit(settings.REGISTER_FRONTEND_RATE_LIMIT_PER_MINUTE);

  function report<Body extends z.ZodType>(
    {
      path,
      operationId,
      summary,
      audience = 'client',
      status = 202,
      rateLimit,
      body,
    }: {
      path: string;
      operationId: string;
      summary: string;
      audience?: Audience & ('client' | 'frontend');
      status?: number;
      rateLimit: Route['rateLimit'];
      body: Body;
    },
    read: (body: z.output<Body>, sender: Sender) => Iterable<SentUsage>,
  ): Route {
    return route({
      ...{ method: 'post', path, operationId, summary, audience, rateLimit, body },
      tag: audience === 'client' ? 'Client' : 'Frontend API',
      bodyLimitBytes: settings.CLIENT_METRICS_LIMIT_BYTES,
      bodyBounds: audience === 'client' ? clientReport : frontendReport,
      // One such value must not cost the other counts: SDKs send no metrics any more after a 400.
      dropsUnserializable: true,
      answer: { status },
      errors: ['rate-limited'],
      async handle(call) {
        const { body: sentBody, token } = call;
        if (!token?.environment) return { status };
        const { environment, id, kind } = token;
        const reporter = { environment, tokenId: id, isFrontend: kind === 'frontend' };
        let isFirst = true;
        for (const sent of read(sentBody, senderOf(call, audience))) {
          // The other requests of this process wait for one part, and not for a whole report.
          if (!isFirst) await yieldToEventLoop();
          isFirst = false;
          usage.add(reporter, sent);
        }
        return { status };
      },
    });
  }

  return [
    report(
      {
        ...{ path: '/api/client/register', operationId: 'registerClientApplication', body: registrationBody },
        ...{ summary: 'Introduces an instance of an SDK', rateLimit: clientRegistrations },
      },
      readRegistration,
    ),
    report(
      {
        ...{ path: '/api/client/metrics', operationId: 'registerClientMetrics', body: metricsBody },
        ...{ summary: 'Reports how often an SDK evaluated flags', rateLimit: clientMetrics },
      },
      readMetrics,
    ),
    report(
      {
        ...{ path: '/api/client/metrics/bulk', operationId: 'clientBulkMetrics', body: bulkBody },
        ...{ summary: 'Reports what another server received from SDKs', rateLimit: clientMetrics },
      },
      readBulk,
    ),
    report(
      {
        ...{ path: '/api/client/metrics/edge', operationId: 'registerEdgeObservabilityMetrics' },
        ...{ summary: 'Accepts what an Edge instance says of itself, and discards it', rateLimit: clientMetrics },
        body: z.object({}).meta({ examples: [{ identifier: '01ARZ3NDEKTSV4RRFFQ69G5FAV', appName: 'edge' }] }),
      },
      () => [],
    ),
    report(
      {
        ...{ path: '/api/frontend/client/register', operationId: 'registerFrontendClient', body: registrationBody },
        ...{ summary: 'Introduces an instance of a frontend SDK', rateLimit: frontendRegistrations },
        ...{ audience: 'frontend', status: 200 },
      },
      readRegistration,
    ),
    report(
      {
        ...{ path: '/api/frontend/client/metrics', operationId: 'registerFrontendMetrics', body: metricsBody },
        ...{ summary: 'Reports how often a frontend SDK evaluated flags', rateLimit: frontendMetrics },
        ...{ audience: 'frontend', status: 200 },
      },
      readMetrics,
    ),
  ];
}

function senderOf(
  { address, header }: Pick<Call<unknown, unknown, unknown>, 'address' | 'header'>,
  audience: 'client' | 'frontend',
): Sender {
  const now = Date.now();
  if (audience === 'client') return { sdkType: 'backend', address, sdkHeader: undefined, now };
  return { sdkType: 'frontend', address: null, sdkHeader: header('unleash-sdk'), now };
}
