import { daySchema } from '@yardarm/shared/contracts';
import { z } from 'zod';
import { type Route, route } from '../../routing/route.ts';

const nothing = z
  .array(z.unknown())
  .max(0)
  .meta({ examples: [[]] });
const noRates = z.object({
  status: z.literal('success'),
  data: z.object({ resultType: z.literal('matrix'), result: nothing }),
});
const emptyRates = { status: 'success', data: { resultType: 'matrix', result: [] } };
const project = '/api/admin/projects/:projectId';

const trafficExample = {
  grouping: 'daily' as const,
  dateRange: { from: '2026-01-01', to: '2026-01-31' },
  apiData: [],
};

/**
 * Consoles send these requests because ui-config announces an Enterprise edition. Yardarm has no licences,
 * requests for access, sign-up links, single sign-on, SCIM, change requests, templates of release plans, stored rates
 * and numbers of requests, connected proxies or MCP server, so the answers say that there are none.
 */
export function enterpriseRoutes(): Route[] {
  return [
    empty('/api/admin/license/check', 'checkLicense', {
      answerName: 'licenseCheckSchema',
      tag: 'Instance Admin',
      summary: 'Whether the licence is valid: always, since none is needed',
      schema: z.object({ isValid: z.boolean() }),
      body: { isValid: true },
    }),
    empty('/api/admin/telemetry/settings', 'getTelemetrySettings', {
      answerName: 'telemetrySettingsSchema',
      tag: 'Telemetry',
      summary: 'What is sent to the vendor: nothing',
      schema: z.object({ versionInfoCollectionEnabled: z.boolean(), featureInfoCollectionEnabled: z.boolean() }),
      body: { versionInfoCollectionEnabled: false, featureInfoCollectionEnabled: false },
    }),
    empty('/api/admin/metrics/rps', 'getRequestsPerSecond', {
      tag: 'Metrics',
      summary: 'Requests per second: always none, since /metrics of the gateways has them',
      schema: z.object({ clientMetrics: noRates, adminMetrics: noRates }),
      body: { clientMetrics: emptyRates, adminMetrics: emptyRates },
    }),
    trafficRoute(),
    empty('/api/instance/trafficBundles', 'getTrafficBundles', {
      tag: 'Metrics',
      summary: 'The requests that are paid for: always none, since none has a price',
      schema: z.object({ includedTraffic: z.number(), purchasedTraffic: z.number() }),
      body: { includedTraffic: 0, purchasedTraffic: 0 },
    }),
    empty('/api/admin/metrics/edges', 'getConnectedEdges', {
      tag: 'Metrics',
      summary: 'The instances of Unleash Edge that are connected: always none, since what they report is not stored',
    }),
    empty('/api/admin/remote-mcp/settings', 'getRemoteMcpSettings', {
      tag: 'Instance Admin',
      summary: 'Whether there is an MCP server: never',
      schema: z.object({ enabled: z.boolean() }),
      body: { enabled: false },
    }),
    empty('/api/admin/invite-link/tokens', 'getAllPublicSignupTokens', {
      answerName: 'publicSignupTokensSchema',
      tag: 'Public signup tokens',
      summary: 'The sign-up links: always none',
      schema: z.object({ tokens: nothing }),
      body: { tokens: [] },
    }),
    empty('/api/admin/auth/simple/settings', 'getSimpleSettings', {
      answerName: 'passwordAuthSchema',
      tag: 'Auth',
      summary: 'Whether the login with a password is disabled: never',
      schema: z.object({ disabled: z.boolean() }),
      body: { disabled: false },
    }),
    ...(['oidc', 'saml'] as const).map((protocol) =>
      empty(`/api/admin/auth/${protocol}/settings`, `get${protocol === 'oidc' ? 'Oidc' : 'Saml'}Settings`, {
        answerName: `${protocol}SettingsSchema`,
        tag: 'Auth',
        summary: `Whether people log in by ${protocol === 'oidc' ? 'OpenID Connect' : 'SAML'}: never`,
        schema: z.object({ enabled: z.boolean() }),
        body: { enabled: false },
      }),
    ),
    empty('/api/admin/scim-settings', 'getScimSettings', {
      answerName: 'scimSettingsSchema',
      tag: 'SCIM',
      summary: 'Whether users are provisioned by SCIM: never',
      schema: z.object({ enabled: z.boolean(), hasToken: z.boolean() }),
      body: { enabled: false, hasToken: false },
    }),
    empty('/api/admin/user-access-requests', 'getUserAccessRequests', {
      answerName: 'userAccessRequestsSchema',
      tag: 'Users',
      summary: 'The people who ask for access: always none',
    }),
    empty('/api/admin/release-plan-templates', 'getReleaseTemplates', {
      answerName: 'releasePlanTemplatesSchema',
      tag: 'Release Templates',
      summary: 'The templates of release plans: always none',
    }),
    empty(`${project}/release-templates`, 'getReleaseTemplatesForProject', {
      tag: 'Release Templates',
      summary: 'The templates of release plans that a project may use: always none',
    }),
    empty('/api/admin/search/change-requests', 'searchChangeRequests', {
      answerName: 'changeRequestSearchResponseSchema',
      summary: 'The change requests of all projects: always none',
      schema: z.object({ changeRequests: nothing, total: z.number().int() }),
      body: { changeRequests: [], total: 0 },
    }),
    empty(`${project}/change-requests`, 'getChangeRequestsForProject', {
      answerName: 'changeRequestsSchema',
      summary: 'The change requests of a project: always none',
    }),
    empty(`${project}/change-requests/pending`, 'getPendingChangeRequestsForUser', {
      answerName: 'changeRequestsSchema',
      summary: 'The pending change requests of a project: always none',
    }),
    empty(`${project}/change-requests/pending/:featureName`, 'getPendingChangeRequestsForFeature', {
      answerName: 'changeRequestsSchema',
      summary: 'The pending change requests of a flag: always none',
    }),
    empty(`${project}/change-requests/scheduled`, 'getScheduledChangeRequests', {
      answerName: 'changeRequestScheduledResultSchema',
      summary: 'The scheduled change requests of a project: always none',
    }),
    empty(`${project}/change-requests/actionable`, 'getActionableChangeRequests', {
      answerName: 'actionableChangeRequestsSchema',
      summary: 'How many change requests of a project wait for the caller: always none',
      schema: z.object({ total: z.number().int() }),
      body: { total: 0 },
    }),
  ];
}

/** It differs from the others in that the answer repeats the period. */
function trafficRoute(): Route {
  const grouping = z.enum(['daily', 'monthly']);
  const dateRange = z.object({ from: daySchema, to: daySchema });
  return route({
    method: 'get',
    path: '/api/admin/metrics/traffic',
    operationId: 'getTrafficDataUsageForPeriod',
    summary: 'Requests in a period: always none, since /metrics of the gateways has them',
    tag: 'Metrics',
    answerName: 'trafficUsageDataSegmentedCombinedSchema',
    audience: 'admin',
    query: dateRange.extend({ grouping }),
    answer: {
      status: 200,
      schema: z.object({ grouping, dateRange, apiData: nothing }).meta({ examples: [trafficExample] }),
    },
    errors: [],
    handle: async ({ query: { grouping, ...dateRange } }) => ({
      status: 200,
      body: { grouping, dateRange, apiData: [] },
    }),
  });
}

/** A route whose answer is always the same: an empty list unless given. */
function empty(
  path: string,
  operationId: string,
  {
    summary,
    answerName,
    tag = 'Change Requests',
    schema = nothing,
    body = [],
  }: { summary: string; answerName?: string; tag?: string; schema?: z.ZodType; body?: object },
): Route {
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name as string, z.string()]);
  return route({
    method: 'get',
    path,
    operationId,
    summary,
    tag,
    ...(answerName && { answerName }),
    audience: 'admin',
    ...(params.length > 0 && { params: z.object(Object.fromEntries(params)) }),
    answer: { status: 200, schema: schema.meta({ examples: [body] }) },
    errors: [],
    handle: async () => ({ status: 200, body }),
  });
}
