import type { Bus, RequestContext } from '@yardarm/shared/bus';
import {
  type Event,
  eventLabel,
  eventMarkdown,
  eventSchema,
  eventTypes,
  findEvents,
  listEventCreators,
  searchEvents,
} from '@yardarm/shared/contracts/events';
import { z } from 'zod';
import { ofContract, type Reply, type Route, route } from '../../routing/route.ts';
import { eventFilters, waitFor } from './event-filters.ts';

const tag = 'Events';

/** Null: an event belongs to no group of events. */
const noGroup = { groupType: null, groupId: null };

/** An event with texts for people. They are derived from the event and are not part of the log's hashes. */
const readable = { label: z.string(), summary: z.string(), groupType: z.null(), groupId: z.null() };

export const readableEventSchema = eventSchema.extend(readable).meta({
  id: 'eventSchema',
  examples: [
    {
      ...{ id: 842, createdAt: '2026-01-31T12:00:00.000Z', type: 'feature-environment-enabled' },
      ...{ createdBy: 'ann@example.com', createdByUserId: 12, environment: 'production', project: 'default' },
      ...{ featureName: 'checkout', data: null, preData: null, tags: [{ type: 'simple', value: 'payments' }] },
      label: 'Flag enabled',
      summary: '**ann@example.com** enabled **checkout** for the **production** environment in project **default**',
      ...noGroup,
    },
  ],
});

const total = z
  .number()
  .int()
  .meta({ examples: [1] });

const listSchema = z.object({
  version: z.literal(1),
  events: z.array(readableEventSchema),
  totalEvents: total,
});

/** The public product's current and older searches of events. `baseUrl` begins the links in summaries. */
export function eventSearchRoutes(bus: Bus, baseUrl: string): Route[] {
  const toReadable = (event: Event) => ({
    ...event,
    label: eventLabel(event.type),
    summary: eventMarkdown(event, baseUrl),
    ...noGroup,
  });

  /** A large page has tens of megabytes, so it is converted and sent as it arrives. `head` is the text before it. */
  function page(
    outputs: AsyncIterable<{ events: Event[] } & Record<string, unknown>>,
    head: string,
    total: string,
  ): Reply {
    let found: unknown;
    async function* pieces() {
      for await (const { events, [total]: value } of outputs) {
        found = value;
        yield Buffer.from(JSON.stringify(events.map(toReadable)).slice(1, -1));
      }
    }
    const tail = () => `],"${total}":${found}}`;
    return { status: 200, list: { head: `{${head}"events":[`, pieces: pieces(), tail } };
  }

  function list(filters: z.input<typeof searchEvents.input>, context: RequestContext, head = ''): Reply {
    return page(bus.requestParts(searchEvents, filters, context), `"version":1,${head}`, 'totalEvents');
  }

  return [
    route({
      method: 'post',
      path: '/api/admin/events/search',
      operationId: 'deprecatedSearchEvents',
      ...ofContract(searchEvents),
      tag,
      isDeprecated: true,
      audience: 'admin',
      query: z.object({ waitFor }),
      body: searchEvents.input
        .omit({ waitFor: true })
        .meta({ examples: [{ type: 'feature-created', project: 'default', limit: 50 }] })
        .optional(),
      answer: { status: 200, schema: listSchema },
      handle: ({ body, query, context }) => list({ ...body, ...query }, context),
    }),
    route({
      method: 'get',
      path: '/api/admin/search/events',
      operationId: 'searchEvents',
      answerName: 'eventSearchResponseSchema',
      ...ofContract(findEvents),
      tag,
      audience: 'admin',
      query: eventFilters,
      answer: { status: 200, schema: z.object({ events: z.array(readableEventSchema), total }) },
      handle({ query, context }) {
        const { id, type, project, feature, environment, groupId, offset, ...rest } = query;
        const types = type && eventTypes.filter((known) => type.includes(known));
        if (groupId !== undefined || types?.length === 0) return { status: 200, body: { events: [], total: 0 } };
        const filters = { ids: id, types, projects: project, features: feature, environments: environment };
        return page(bus.requestParts(findEvents, { ...rest, ...filters, skip: offset }, context), '', 'total');
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/event-creators',
      operationId: 'getEventCreators',
      ...ofContract(listEventCreators),
      tag,
      audience: 'admin',
      answer: {
        status: 200,
        schema: z
          .array(z.object({ id: z.number().int(), name: z.string() }))
          .meta({ examples: [[{ id: 12, name: 'ann' }]] }),
      },
      handle: async ({ context }) => ({
        status: 200,
        body: (await bus.request(listEventCreators, {}, context)).creators,
      }),
    }),
    route({
      method: 'get',
      path: '/api/admin/events',
      operationId: 'getEvents',
      ...ofContract(searchEvents),
      summary: 'The newest hundred events, of one project if it is named',
      tag,
      audience: 'admin',
      query: z.object({ project: z.string().optional() }),
      answer: { status: 200, schema: listSchema },
      handle: ({ query, context }) => list(query, context),
    }),
    // This route comes after the other paths under /events, since a flag may have any name.
    route({
      method: 'get',
      path: '/api/admin/events/:featureName',
      operationId: 'getEventsForToggle',
      ...ofContract(searchEvents),
      summary: 'The newest hundred events of a flag',
      tag,
      audience: 'admin',
      params: z.object({ featureName: z.string() }),
      answer: { status: 200, schema: listSchema.extend({ toggleName: z.string().meta({ examples: ['checkout'] }) }) },
      handle: ({ params: { featureName }, context }) =>
        list({ feature: featureName }, context, `"toggleName":${JSON.stringify(featureName)},`),
    }),
  ];
}
