import type { RequestListener } from 'node:http';
import proxyAddress from 'proxy-addr';
import type { Answer, AnswerOf, RequestReader } from '../routing/answering.ts';
import { countHeader } from '../routing/count-header.ts';
import type { Route } from '../routing/route.ts';
import type { HostCheck } from './allowed-hosts.ts';

/** A path segment without encoded characters. */
const plainSegment = /^[\w.-]+$/;

interface HotRoute {
  parameter: string | undefined;
  /** Null for a route that Express serves. */
  answer: Answer | null;
}

interface HotReadsOptions {
  answerOf: AnswerOf;
  checkHost: HostCheck;
  /** Whether the address of a proxy is trusted: Express's `trust proxy fn`. */
  isTrusted(address: string, index: number): boolean;
}

/**
 * Answers hot reads without Express, whose routing would cost more than the answer: plain GETs of the routes with
 * `isHot`. The app answers every other request in the same way: with a query, an encoded path, a cookie, which needs
 * the protocol of the caller, or a Host header that it refuses.
 */
export function answerHotReads(
  app: RequestListener,
  routes: readonly Route[],
  { answerOf, checkHost, isTrusted }: HotReadsOptions,
): RequestListener {
  const gets = routes.filter(({ method }) => method === 'get');
  // All GET routes: the path of another route is not a parameter of this one.
  const byPath = new Map<string, HotRoute>(
    gets.map((route) => {
      const parameter = /:(\w+)$/.exec(route.path)?.[1];
      const path = route.path.slice(0, route.path.length - (parameter?.length ?? -1) - 1);
      return [path, { parameter, answer: route.isHot ? answerOf(route, readerOf(route)) : null }];
    }),
  );

  return (request, response) => {
    const url = request.url!;
    let hot = byPath.get(url);
    let segment = '';
    if (!hot) {
      const end = url.lastIndexOf('/') + 1;
      hot = byPath.get(url.slice(0, end));
      segment = url.slice(end);
    }
    const isMatch = hot?.parameter === undefined ? segment === '' : plainSegment.test(segment);
    const { cookie, host } = request.headers;
    const isPlain = request.method === 'GET' && isMatch && cookie === undefined;
    if (!isPlain || !hot?.answer || countHeader(request, 'host') !== 1 || isRefused(host))
      return app(request, response);
    return hot.answer(request, response, hot.parameter === undefined ? {} : { [hot.parameter]: segment });
  };

  function readerOf(route: Route): RequestReader {
    const noQuery = route.query?.parse({});
    return {
      // Host and protocol matter only to sessions, which come in a cookie.
      host: () => undefined,
      isSecure: () => false,
      address: (request) => proxyAddress(request, isTrusted),
      query: () => noQuery,
      body: async () => undefined,
      decompress: async (sent) => sent,
      parseBody: () => undefined,
      parseLargeBody: async () => undefined,
      bodyInChunks: async () => {},
    };
  }

  function isRefused(host: string | undefined): boolean {
    try {
      checkHost(host);
      return false;
    } catch {
      // The app refuses the request with the same message and logs it.
      return true;
    }
  }
}
