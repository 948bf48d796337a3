import { type Expression, type RawBuilder, sql } from 'kysely';

const mark = /^\/\* prepared: (\S+) \*\//;

/**
 * A tag like `sql`, for a statement that is executed often: planning it costs more than executing it. Each connection
 * prepares it once. After five executions Postgres keeps one plan for all values, unless plans for the values of each
 * call look cheaper (`hidden`). A name has one text. Every other statement is planned each time, for its values.
 */
export function prepared(name: string): Tag;
/** The same for a statement that other functions compose. */
export function prepared<Row>(name: string, statement: Expression<Row>): RawBuilder<Row>;
export function prepared(name: string, statement?: Expression<unknown>) {
  // Kysely passes only the text of a statement to the pool, so the text carries the name. Logs of Postgres show it too.
  const named = (query: Expression<unknown>) => sql`${sql.raw(`/* prepared: ${name} */ `)}${query}`;
  return statement ? named(statement) : (...template: Parameters<Tag>) => named(sql(...template));
}

type Tag = <Row = unknown>(strings: TemplateStringsArray, ...values: unknown[]) => RawBuilder<Row>;

/**
 * Hides a value from the planner. With values that it sees, such as an array of one element, it expects less work than
 * of its plan for all values, and plans each time. Hide those that do not change which plan is good.
 */
export function hidden<T>(value: Expression<T>): RawBuilder<T> {
  return sql<T>`(select ${value})`;
}

/** The names of the prepared statements of one pool. */
export class PreparedNames {
  readonly #texts = new Map<string, string>();
  #generation = 0;

  /** Undefined for a statement without a name. Throws when the name has another text already. */
  nameOf(text: string): string | undefined {
    const name = mark.exec(text)?.[1];
    if (name === undefined) return undefined;
    const known = this.#texts.get(name);
    if (known === undefined) this.#texts.set(name, text);
    else if (known !== text) throw new Error(`two statements have the name ${name}`);
    return this.#generation === 0 ? name : `${name} ${this.#generation}`;
  }

  /** Prepares all statements again under new names, because a table has changed and Postgres refuses the old plans. */
  renew(): void {
    this.#generation += 1;
  }
}
