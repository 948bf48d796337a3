import { type Bus, listFieldOf } from '@yardarm/shared/bus';
import type { RequestContract } from '@yardarm/shared/contracts';
import { refuseUnstorable } from '@yardarm/shared/errors';
import { z } from 'zod';
import { listBody } from './list-body.ts';
import { type Audience, ofContract, type Route } from './route.ts';
import { idOf } from './wire.ts';

interface PathParameter {
  /** The field, when the input has none with the parameter's own name. */
  field?: string;
  /** What a numeric id identifies; the error for an id that identifies nothing names it. */
  noun?: string;
}

interface Defaults {
  audience: Audience;
  tag: string;
  /** The path parameters of these routes, by name. A text that fills a field of its own name needs no entry. */
  params?: Record<string, PathParameter>;
}

interface Created<Output extends z.ZodObject> {
  description: string;
  location(answer: z.output<Output>, path: string): string;
}

/** A field that comes from a header. */
interface HeaderField {
  /** In lower case. */
  header: string;
  description: string;
  read(text: string | undefined): unknown;
}

interface Options<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Pick<Route, 'bodyName' | 'answerName' | 'bodyLimitBytes' | 'bodyBounds' | 'isLong'> {
  summary?: string;
  params?: Defaults['params'];
  /** 200, or 201 with `creates`. */
  status?: number;
  /** Fields that this route sets; a caller cannot. */
  fixed?: Partial<z.input<Input>>;
  /** Fields that come from headers. */
  headers?: Record<string, HeaderField>;
  /**
   * The query, where it differs from the remaining fields: a number is converted from text. A query has only texts. Its
   * fields are not in the body.
   */
  query?: z.ZodObject;
  /** The body, where it differs from the remaining fields. */
  body?: z.ZodObject;
  /** The one field that is the whole body. */
  bodyField?: keyof z.input<Input> & string;
  /** The documented answer, where it is more specific than the contract's output. */
  answer?: z.ZodType;
  /** The one field of the output that is the whole answer. */
  answerField?: keyof z.output<Output> & string;
  version?: number;
  /** The field of the output that is the ETag instead of a part of the body. `answer` does not have it. */
  etag?: keyof z.output<Output> & string;
  /** What the request creates, for the location header. A noun: the location is the request's path and the new `id`. */
  creates?: string | Created<Output>;
  beforePasswordChange?: boolean;
}

/**
 * Declares routes that ask one contract and answer with its output. Summary, permission, errors and schemas come from
 * the contract. Each field of its input has one source: a path parameter, else a value in `fixed`, else a header, else
 * the query (GET and DELETE) or the body. A declaration that does not fit its contract fails when the gateway starts,
 * also one whose query would have a property that is not a text.
 */
export function contractRoutes(bus: Bus, defaults: Defaults) {
  const declare =
    (method: Route['method']) =>
    <Input extends z.ZodObject, Output extends z.ZodObject>(
      path: string,
      operationId: string,
      contract: RequestContract<Input, Output>,
      options: Options<Input, Output> = {},
    ): Route =>
      contractRoute(bus, defaults, { method, path, operationId }, contract, options);
  return {
    get: declare('get'),
    post: declare('post'),
    put: declare('put'),
    patch: declare('patch'),
    delete: declare('delete'),
  };
}

function contractRoute<Input extends z.ZodObject, Output extends z.ZodObject>(
  bus: Bus,
  { audience, tag, params }: Defaults,
  operation: Pick<Route, 'method' | 'path' | 'operationId'>,
  contract: RequestContract<Input, Output>,
  options: Options<Input, Output>,
): Route {
  const { fixed = {}, headers = {}, bodyField, etag } = options;
  const { shape } = contract.input;
  const names = [...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const pathFields = names.map((name) => ({
    name,
    ...fieldOf(name, { ...params, ...options.params }[name], contract),
  }));
  const used = [...pathFields.map(({ field }) => field), ...Object.keys(fixed), ...Object.keys(headers)];
  const isRead = operation.method === 'get' || operation.method === 'delete';
  const query = options.query ?? (isRead ? without(contract.input, used) : undefined);
  const bodyFields =
    options.body ??
    (isRead || bodyField ? undefined : without(contract.input, [...used, ...Object.keys(query?.shape ?? {})]));
  const created = createdOf(options.creates);
  const status = options.status ?? (created ? 201 : 200);
  const isEmpty = Object.keys(contract.output.shape).length === 0;
  // A list is not asked for when its client has gone. A change has to be made all the same.
  const list = operation.method === 'get' && !etag ? listFieldOf(contract) : undefined;
  checkFields(contract, [
    ...used,
    ...(bodyField ? [bodyField] : []),
    ...Object.keys({ ...query?.shape, ...bodyFields?.shape }),
  ]);
  if (options.query === undefined && query) checkTexts(operation, contract, query);
  return {
    ...operation,
    ...ofContract(contract),
    ...(options.summary && { summary: options.summary }),
    tag,
    audience,
    ...(options.bodyName && { bodyName: options.bodyName }),
    ...(options.answerName && { answerName: options.answerName }),
    beforePasswordChange: options.beforePasswordChange,
    params: names.length === 0 ? undefined : z.object(Object.fromEntries(names.map((name) => [name, z.string()]))),
    query,
    headers: Object.fromEntries(Object.values(headers).map(({ header, description }) => [header, description])),
    body: bodyField ? shape[bodyField] : bodyFields,
    ...(options.bodyLimitBytes !== undefined && { bodyLimitBytes: options.bodyLimitBytes }),
    ...(options.bodyBounds && { bodyBounds: options.bodyBounds }),
    ...(options.isLong && { isLong: options.isLong }),
    answer: {
      status,
      schema: options.answer ?? answerSchema(contract.output, options),
      headers: { ...(created && { location: created.description }), ...(etag && { etag: 'The version' }) },
    },
    async handle(call) {
      const texts = call.params as Record<string, string>;
      const fromPath = pathFields.map(({ name, field, noun }) => {
        const text = texts[name] as string;
        return [field, noun === undefined ? text : idOf(text, noun)] as const;
      });
      // The service would name the field, which the caller does not send.
      if (bodyField) refuseUnstorable(call.body);
      const body = bodyField ? { [bodyField]: call.body } : (call.body as object);
      const fromHeaders = Object.entries(headers).map(([field, { header, read }]) => [
        field,
        read(call.header(header)),
      ]);
      const input = {
        ...(call.query as object),
        ...body,
        ...fixed,
        ...Object.fromEntries(fromHeaders),
        ...Object.fromEntries(fromPath),
      };
      if (list !== undefined) {
        const pieces = bus.requestItems(contract, input, call.context);
        return { status, list: listBody(list, pieces, options) };
      }
      const answer = await bus.request(contract, input, call.context);
      const values = fromPath.map(([, value]) => value);
      const path = operation.path.replace(/:\w+/g, () => encodeURIComponent(values.shift() ?? ''));
      return {
        status,
        body: isEmpty ? undefined : bodyOf(answer, options),
        headers: {
          ...(created && { location: created.location(answer, path) }),
          ...(etag && { etag: `"${answer[etag]}"` }),
        },
      };
    },
  };
}

function bodyOf<Output extends z.ZodObject>(
  answer: z.output<Output>,
  { answerField, version, etag }: Pick<Options<z.ZodObject, Output>, 'answerField' | 'version' | 'etag'>,
): unknown {
  if (answerField) return answer[answerField];
  if (version !== undefined) return { version, ...answer };
  return etag ? Object.fromEntries(Object.entries(answer).filter(([name]) => name !== etag)) : answer;
}

function createdOf<Output extends z.ZodObject>(creates: string | Created<Output> | undefined) {
  if (typeof creates !== 'string') return creates;
  return {
    description: `The path of the new ${creates}`,
    location: (answer: z.output<Output>, path: string) => `${path}/${answer.id}`,
  };
}

/** Throws for a field that the contract does not have, and for a required one without a source. */
function checkFields({ name, input }: RequestContract<z.ZodObject>, declared: readonly string[]): void {
  const unknown = declared.filter((field) => !(field in input.shape));
  const missing = Object.entries(input.shape)
    .filter(([field, schema]) => !declared.includes(field) && !z.safeParse(schema, undefined).success)
    .map(([field]) => field);
  if (unknown.length > 0) throw new Error(`${name} has no field ${unknown.join(', ')}`);
  if (missing.length > 0) throw new Error(`${name} needs ${missing.join(', ')}`);
}

/** Throws for a property that no text can be. A query has only texts, so every request with it would be refused. */
function checkTexts(
  { method, path }: Pick<Route, 'method' | 'path'>,
  { name }: RequestContract<z.ZodObject>,
  query: z.ZodObject,
): void {
  const wrong = Object.entries(query.shape).filter(([, schema]) => refusesTexts(z.safeParse(schema, '').error?.issues));
  if (wrong.length === 0) return;
  const fields = wrong.map(([field]) => field).join(', ');
  throw new Error(`${method} ${path} needs a declared query: ${fields} of ${name} cannot be a text`);
}

/** Whether the issues of an empty text are about its type, and not about its content. */
function refusesTexts(issues: readonly z.core.$ZodIssue[] = []): boolean {
  return issues.some(
    (issue) =>
      issue.code === 'invalid_type' ||
      (issue.code === 'invalid_union' && issue.errors.length > 0 && issue.errors.every(refusesTexts)),
  );
}

/** The field that a path parameter fills, and the noun when that is a numeric id. */
function fieldOf(
  name: string,
  { field = name, noun }: PathParameter = {},
  { name: contract, input }: RequestContract<z.ZodObject>,
): { field: string; noun: string | undefined } {
  const filled = name in input.shape ? name : field;
  const schema = input.shape[filled];
  if (schema === undefined) throw new Error(`:${name} fills no field of ${contract}`);
  if (!(schema instanceof z.ZodNumber)) return { field: filled, noun: undefined };
  if (noun === undefined) throw new Error(`:${name} is a number in ${contract} and has no noun`);
  return { field: filled, noun };
}

/** The input and its examples without the `used` fields, as strict as it is; undefined when no field remains. */
function without(input: z.ZodObject, used: readonly string[]): z.ZodObject | undefined {
  if (Object.keys(input.shape).every((field) => used.includes(field))) return undefined;
  if (used.length === 0) return input;
  const remaining = <Value>(of: Record<string, Value>) =>
    Object.fromEntries(Object.entries(of).filter(([field]) => !used.includes(field)));
  const isStrict = input.def.catchall instanceof z.ZodNever;
  const rest = (isStrict ? z.strictObject : z.object)(remaining(input.shape));
  const examples = examplesOf(input)?.map(remaining);
  return examples ? rest.meta({ examples }) : rest;
}

function answerSchema<Output extends z.ZodObject>(
  output: Output,
  { answerField, version }: Pick<Options<z.ZodObject, Output>, 'answerField' | 'version'>,
): z.ZodType | undefined {
  if (answerField) return output.shape[answerField];
  return Object.keys(output.shape).length === 0 ? undefined : versioned(output, version);
}

function versioned(output: z.ZodObject, version: number | undefined): z.ZodObject {
  if (version === undefined) return output;
  const whole = z.object({ version: z.literal(version), ...output.shape });
  const examples = examplesOf(output)?.map((example) => ({ version, ...example }));
  return examples ? whole.meta({ examples }) : whole;
}

function examplesOf(schema: z.ZodObject): Record<string, unknown>[] | undefined {
  return z.globalRegistry.get(schema)?.examples as Record<string, unknown>[] | undefined;
}
