import type { Schemas } from '../api/client.ts';
import { permissionWords } from '../api/permission-words.ts';
import { countOf } from '../ui/counts.ts';
import styles from './findings.module.css';

type Found = Schemas['importTogglesValidateSchema'];

/** How many of the flags an import makes or changes. The API tells by a warning which ones it leaves out. */
export function countOfImported(flags: number, { warnings }: Found): number {
  const leftOut = warnings.filter(({ message }) => message.includes('will not be imported'));
  return flags - new Set(leftOut.flatMap(({ affectedItems }) => affectedItems)).size;
}

/** What a check of an import has found. */
export function Findings({ found, count }: { found: Found; count: number }) {
  const { errors, permissions, warnings } = found;
  const isRefused = errors.length + permissions.length > 0;
  return (
    <div className={styles.findings} role="status">
      <p>
        <strong>
          {isRefused
            ? 'It cannot be imported.'
            : `${countOf(count, 'flag')} can be imported${warnings.length > 0 ? '. Read the warnings first.' : '.'}`}
        </strong>
      </p>
      <Group title="Errors" items={errors} />
      <Group title="Permissions that you need" items={permissions.map(inWords)} />
      <Group title="Warnings" items={warnings} />
    </div>
  );
}

/** Each item is a permission, or several with ` or ` between. */
function inWords({ message, affectedItems }: Found['permissions'][number]) {
  return { message, affectedItems: affectedItems.map((item) => item.split(' or ').map(permissionWords).join(' or ')) };
}

function Group({ title, items }: { title: string; items: Found['errors'] }) {
  if (items.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {items.map(({ message, affectedItems }) => (
          <li key={message}>
            {message} {affectedItems.length > 0 && <strong>{affectedItems.join(', ')}</strong>}
          </li>
        ))}
      </ul>
    </div>
  );
}
