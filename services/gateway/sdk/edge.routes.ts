import { readToken } from '@yardarm/shared/auth';
import { z } from 'zod';
import type { Tokens } from '../auth/tokens.ts';
import { type Route, route } from '../routing/route.ts';

// A proxy asks for a few tokens of its applications at a time. Each token that is not cached may be a request to
// accounts, so one request may not name more tokens than are looked up one by one for an address in a minute.
const maxTokens = 100;

const body = z
  .object({ tokens: z.array(z.string()).max(maxTokens, `should name at most ${maxTokens} tokens`) })
  .meta({ examples: [{ tokens: ['default:development.yd_2sFqmXbDyC0eD1tIYl8wKa_secret'] }] });

const schema = z
  .object({
    tokens: z.array(
      z.object({
        token: z.string(),
        type: z.enum(['client', 'frontend']),
        projects: z.array(z.string()),
        environment: z.string(),
      }),
    ),
  })
  .meta({
    examples: [
      {
        tokens: [
          {
            token: 'default:development.yd_2sFqmXbDyC0eD1tIYl8wKa_secret',
            type: 'client',
            projects: ['default'],
            environment: 'development',
          },
        ],
      },
    ],
  });

export function edgeRoutes(tokens: Tokens): Route[] {
  return [
    route({
      method: 'post',
      path: '/edge/validate',
      operationId: 'getValidTokens',
      bodyName: 'tokenStringListSchema',
      answerName: 'validatedEdgeTokensSchema',
      summary: 'Lists those of the given tokens that SDKs can use, with their access; never tokens of users or admins',
      tag: 'Edge',
      audience: 'public',
      body,
      answer: { status: 200, schema },
      errors: ['rate-limited', 'unavailable'],
      async handle({ body, context, address }) {
        const caller = { context, address, namesSeveral: body.tokens.length > 1 };
        const found = await Promise.all(
          body.tokens.map(async (token) => {
            const presented = readToken(token);
            const resolved = presented && (await tokens.find(presented, caller));
            if (resolved?.kind !== 'client' && resolved?.kind !== 'frontend') return null;
            const { kind: type, projects, environment } = resolved;
            // A proxy would answer it with what it has of another environment of the name.
            if (environment === null) return null;
            return { token, type, projects, environment };
          }),
        );
        const headers = { 'cache-control': 'no-store' };
        return { status: 200, body: { tokens: found.filter((token) => token !== null) }, headers };
      },
    }),
  ];
}
