import type { Role } from '../../api/admin-queries.ts';
import { type Grant, gives } from './grants.ts';
import styles from './permission-matrix.module.css';
import { PermissionName } from './permission-name.tsx';

/** Permissions of one place: the instance, a project, or an environment. */
export interface PermissionGroup {
  title: string;
  permissions: readonly (Grant & { displayName: string })[];
}

interface Props {
  label: string;
  roles: readonly Role[];
  grantsOf: ReadonlyMap<number, readonly Grant[]>;
  groups: readonly PermissionGroup[];
}

/** Which role gives which permission. */
export function PermissionMatrix({ label, roles, grantsOf, groups }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard
    <section className={styles.scroller} tabIndex={0} aria-label={label}>
      <table className={styles.matrix}>
        <thead>
          <tr>
            <th scope="col">Permission</th>
            {roles.map(({ id, name }) => (
              <th key={id} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map(({ title, permissions }) => (
          <tbody key={title}>
            <tr>
              <th scope="rowgroup" colSpan={roles.length + 1} className={styles.group}>
                {title}
              </th>
            </tr>
            {permissions.map((permission) => (
              <tr key={permission.name}>
                <th scope="row">
                  <PermissionName {...permission} />
                </th>
                {roles.map(({ id }) => (
                  <Cell key={id} isGiven={gives(grantsOf.get(id) ?? [], permission)} />
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function Cell({ isGiven }: { isGiven: boolean }) {
  return (
    <td className={isGiven ? styles.given : styles.notGiven}>
      <span aria-hidden="true">{isGiven ? '✓' : '–'}</span>
      <span className="visually-hidden">{isGiven ? 'yes' : 'no'}</span>
    </td>
  );
}
