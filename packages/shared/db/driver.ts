import { type DatabaseConnection, PostgresDriver } from 'kysely';
import { translated } from './failures.ts';

/** Kysely's driver, but the way to the database fails as AppError 'unavailable', for single statements too. */
export class TranslatingDriver extends PostgresDriver {
  readonly #translating = new WeakSet<DatabaseConnection>();

  override async acquireConnection(
    ...args: Parameters<PostgresDriver['acquireConnection']>
  ): Promise<DatabaseConnection> {
    try {
      const connection = await super.acquireConnection(...args);
      if (!this.#translating.has(connection)) {
        this.#translating.add(connection);
        translate(connection);
      }
      return connection;
    } catch (error) {
      throw translated(error);
    }
  }
}

// The driver keeps private state on the connection it made, so that object stays and its method is replaced.
function translate(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async (...args: Parameters<typeof execute>) => {
    try {
      return (await execute(...args)) as never;
    } catch (error) {
      throw translated(error);
    }
  };
}
