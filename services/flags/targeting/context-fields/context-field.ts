import { type ContextField, type LegalValue, maxLegalValues } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { Row } from '../../db/rows.ts';

export type StoredContextField = Row<'context_fields'>;

export type ContextFieldSettings = Pick<StoredContextField, 'description' | 'stickiness' | 'sortOrder' | 'legalValues'>;

/** The event of a change has the field before and after it, and a NATS message has at most 1 MB. */
const maxLegalValueBytes = 400_000;

export interface FieldUse {
  usedInFeatures: number;
  usedInProjects: number;
}

export function toContextField({ project, ...field }: StoredContextField & FieldUse): ContextField {
  return { ...field, createdAt: field.createdAt.toISOString(), ...(project !== null && { project }) };
}

/** The field as `data` and `preData` of its events. */
export function contextFieldEventData(field: Omit<StoredContextField, 'createdAt'>) {
  const { name, description, stickiness, sortOrder, legalValues, project } = field;
  return { name, description, stickiness, sortOrder, legalValues, ...(project !== null && { project }) };
}

export function contextFieldOrderingKey(name: string): string {
  return `context-field:${name}`;
}

/** `not-found` of a field, of all or of those of a project. */
export function contextFieldNotFound(name: string, project?: string): AppError {
  const where = project === undefined ? '' : ` in the project ${redactValue(project, [])}`;
  return new AppError('not-found', `Could not find the context field with name ${redactValue(name, [])}${where}.`);
}

export function contextFieldExists(name: string): AppError {
  return new AppError('name-exists', `There is already a context field called ${redactValue(name, [])}.`);
}

/** `conflict` that names the first users, such as `the flag checkout`. */
export function contextFieldInUse(name: string, users: readonly string[]): AppError {
  return new AppError(
    'conflict',
    `The context field ${redactValue(name, [])} is in use by ${users.join(', ')}. Remove its uses first.`,
  );
}

/** Throws `bad-data` for a value that occurs twice, and for more text than an event can have. */
export function checkLegalValues(legalValues: readonly LegalValue[]): void {
  const values = new Set<string>();
  for (const [index, { value }] of legalValues.entries()) {
    if (values.has(value)) {
      throw new AppError(
        'bad-data',
        `The .legalValues[${index}].value property should be unique in the field. You sent ${redactValue(value, [])}.`,
      );
    }
    values.add(value);
  }
  if (legalValues.length > maxLegalValues) {
    throw new AppError('bad-data', `A context field may have at most ${maxLegalValues} legal values.`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(legalValues));
  if (bytes > maxLegalValueBytes) {
    throw new AppError(
      'bad-data',
      `The .legalValues property should have at most ${maxLegalValueBytes} bytes. You sent ${bytes}.`,
    );
  }
}

/** The values with this one, in its place if it was there, else last. */
export function withLegalValue(legalValues: readonly LegalValue[], added: LegalValue): LegalValue[] {
  if (!legalValues.some(({ value }) => value === added.value)) return [...legalValues, added];
  return legalValues.map((known) => (known.value === added.value ? added : known));
}
