import { parseNetwork } from '@yardarm/evaluation/network';
import {
  atBasePath,
  basePath,
  commaSeparated,
  commonSettings,
  integer,
  loadConfig,
  publicAddress,
} from '@yardarm/shared/config';
import { z } from 'zod';

/** Express's `trust proxy`: a number of hops, or addresses and networks. With `true` a caller can claim any address. */
const trustedProxies = z.string().transform((text, context) => {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  const proxies = text.split(',').map((part) => part.trim());
  if (proxies.every(isNetwork)) return proxies;
  context.addIssue(
    'should be a number of proxies from 1 to 99, or addresses, networks or loopback, linklocal, uniquelocal',
  );
  return z.NEVER;
});

function isNetwork(text: string): boolean {
  return ['loopback', 'linklocal', 'uniquelocal'].includes(text) || parseNetwork(text) !== null;
}

/** What a gateway may serve alone: the API of administrators, SDKs or senders of signals, or the console. */
const routeGroups = ['admin', 'sdk', 'signals', 'console'] as const;

export type RouteGroup = (typeof routeGroups)[number];

const namesOfGroups = 'should be admin, sdk, signals or console, or several of them, comma-separated';

const setOfRouteGroups = commaSeparated
  .prefault(routeGroups.join())
  .pipe(z.array(z.enum(routeGroups, namesOfGroups)).min(1, namesOfGroups))
  .transform((names): ReadonlySet<RouteGroup> => new Set(names));

const perMinute = (what: string) =>
  integer(0, 10_000_000)
    .default(6_000)
    .describe(`How many ${what} one address may send in a minute to this gateway; 0 is no limit`);

export const settings = {
  ...commonSettings,
  HOST: z.string().default('127.0.0.1').describe('Address of the public listener; loopback unless set'),
  PORT: integer(0, 65535).default(4242).describe('Port of the public listener'),
  GATEWAY_ROUTE_GROUPS: setOfRouteGroups.describe(
    'The routes that this gateway serves: admin, sdk, signals, console, comma-separated; all four unless set',
  ),
  CONSOLE_DIR: z
    .string()
    .default('')
    .describe('The folder of the built console, which is read once at the start; there is no console unless set'),
  UNLEASH_URL: publicAddress
    .optional()
    .describe('The address under which people reach this system, for links in answers'),
  BASE_URI_PATH: basePath
    .default('')
    .describe(
      'The path in front of every route, such as /flags: requests with it and without it are served, and links, locations and cookies have it',
    ),
  REQUEST_TIMEOUT_MS: integer(100, 60_000)
    // A write takes milliseconds. Ten seconds outlast a restart of the owning service, and most callers wait longer.
    .default(10_000)
    .describe('How long a request to a service may take before the gateway answers 504, in milliseconds'),
  SIGNAL_PAYLOAD_LIMIT_BYTES: integer(1, 900_000)
    // The public product accepts 100 kB. Above 900 kB a signal does not fit a NATS message of the default size.
    .default(102_400)
    .describe('The largest body of a signal, in bytes'),
  IMPORT_LIMIT_BYTES: integer(1, 100_000_000)
    // Some tens of thousands of flags. The document is sent to flags in parts, so it may be larger than a message.
    .default(20_000_000)
    .describe('The largest document of an import of flags, in bytes'),
  LISTING_CACHE_BYTES: integer(0, 10_000_000_000)
    // A listing of 1,000 flags has some 400 kB with its compressed forms, so this is 150 different ones.
    .default(64_000_000)
    .describe('The most bytes of listings and deltas in memory; the least recently read are encoded again'),
  CLIENT_METRICS_LIMIT_BYTES: integer(1, 20_000_000)
    // Some ten thousand flags with variants. The Node SDK sends no metrics any more after a larger body.
    .default(2_000_000)
    .describe('The largest body of a registration or report of an SDK, in bytes'),
  // The public product's names and defaults.
  REGISTER_CLIENT_RATE_LIMIT_PER_MINUTE: perMinute('registrations of SDKs'),
  CLIENT_METRICS_RATE_LIMIT_PER_MINUTE: perMinute('reports of SDKs'),
  REGISTER_FRONTEND_RATE_LIMIT_PER_MINUTE: perMinute('registrations of frontend SDKs'),
  FRONTEND_METRICS_RATE_LIMIT_PER_MINUTE: perMinute('reports of frontend SDKs'),
  SDK_STREAM_LIMIT: integer(0, 1_000_000)
    // A stream takes some 20 kB and an SDK that is refused polls, so memory is the bound.
    .default(10_000)
    .describe(
      'How many SDKs may stream from this gateway, half of them with the same token from the same address, and a quarter as many providers of OpenFeature; others get 429 and poll',
    ),
  UNLEASH_FRONTEND_API_ORIGINS: z
    .string()
    .transform((text) => text.split(',').map((origin) => origin.trim()))
    .optional()
    .describe(
      'The origins whose pages may use the frontend API and OFREP, comma-separated; * is every page. Unless set: those that administrators stored, else every page',
    ),
  ACCESS_CONTROL_MAX_AGE: integer(0, 86_400)
    // The longest that any browser keeps the answer to a preflight.
    .default(86_400)
    .describe('How long a browser keeps the permission of its pages, in seconds'),
  TRUST_PROXY: trustedProxies
    .optional()
    .describe(
      'The proxies whose X-Forwarded-For, -Proto and -Host are trusted: their number, or their addresses, comma-separated; none unless set',
    ),
  ALLOWED_HOSTS: commaSeparated
    .prefault('')
    .pipe(z.array(z.string().regex(/^[\w.-]+$/, 'should be host names without ports, comma-separated')))
    .describe(
      'The host names under which requests are accepted, without ports, comma-separated; those of UNLEASH_URL and HOST are added, and IP addresses always pass; every name unless set',
    ),
  CONNECTION_LIMIT: integer(1, 1_000_000)
    // The default limit of streams, and half as many again for all other callers. An idle one takes some 10 kB.
    .default(15_000)
    .describe(
      'How many connections to the public listener are open at once; for each further one the oldest without a request is closed, else the one that is idle for the longest time, else the further one',
    ),
  CONNECTION_LIMIT_PER_ADDRESS: integer(0, 1_000_000)
    .optional()
    .describe(
      'The same for each address; 0 is no limit. Unless set: two thirds of CONNECTION_LIMIT, and no limit with TRUST_PROXY, since all callers then share the addresses of the proxies',
    ),
  YARDARM_DATA_DIR: z
    .string()
    .optional()
    .describe('The folder of the copy with which SDKs are answered before NATS is reached; none is kept unless set'),
  SDK_COPY_MAX_AGE_HOURS: integer(1, 8_760)
    // A week: an outage is noticed and ended before. A revocation during it takes effect when accounts is back.
    .default(168)
    .describe(
      'How long SDK tokens stay valid while accounts cannot confirm them, at most until their expiry, in hours',
    ),
  UNKNOWN_TOKEN_LIMIT_PER_MINUTE: integer(0, 1_000_000)
    // A mistyped token counts once in ten seconds, however often it is sent. A hundred different ones come from a
    // guesser, or from many callers with one address.
    .default(100)
    .describe(
      'How many unknown tokens of one address are looked up one by one in a minute, and of twenty addresses together; the others are checked many at a time; 0 is no limit',
    ),
};

export type GatewayConfig = ReturnType<typeof loadGatewayConfig>;

/** The address in links to this system, without a trailing slash. */
export function publicUrl({
  UNLEASH_URL,
  PORT,
  BASE_URI_PATH,
}: Pick<GatewayConfig, 'UNLEASH_URL' | 'PORT' | 'BASE_URI_PATH'>): string {
  return atBasePath(UNLEASH_URL ?? `http://localhost:${PORT}`, BASE_URI_PATH);
}

/** The host names under which requests are accepted; none is every name. */
export function allowedHosts({
  ALLOWED_HOSTS,
  UNLEASH_URL,
  HOST,
}: Pick<GatewayConfig, 'ALLOWED_HOSTS' | 'UNLEASH_URL' | 'HOST'>): string[] {
  if (ALLOWED_HOSTS.length === 0) return [];
  return [...ALLOWED_HOSTS, HOST, ...(UNLEASH_URL === undefined ? [] : [new URL(UNLEASH_URL).hostname])];
}

/** What proxies have in front of the paths of this gateway: empty, or a path without a trailing slash. */
export function publicPath(config: Parameters<typeof publicUrl>[0]): string {
  return new URL(publicUrl(config)).pathname.replace(/\/$/, '');
}

/** Throws ConfigError with every problem, or when UNLEASH_URL and BASE_URI_PATH contradict each other. */
export function loadGatewayConfig(environment: Record<string, string | undefined> = process.env) {
  const config = loadConfig(settings, environment);
  publicUrl(config);
  return config;
}

/**
 * How many connections one address may have; 0 is no limit. Callers behind a load balancer share its address, and
 * trusted proxies tell that there is one.
 */
export function connectionsPerAddress(
  config: Pick<GatewayConfig, 'CONNECTION_LIMIT' | 'CONNECTION_LIMIT_PER_ADDRESS' | 'TRUST_PROXY'>,
): number {
  if (config.CONNECTION_LIMIT_PER_ADDRESS !== undefined) return config.CONNECTION_LIMIT_PER_ADDRESS;
  return config.TRUST_PROXY === undefined ? Math.ceil((config.CONNECTION_LIMIT * 2) / 3) : 0;
}
