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
  /** What each role gives; undefined while that is not read. */
  grantsOf: ReadonlyMap<number, readonly Grant[] | undefined>;
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
                  <Cell key={id} grants={grantsOf.get(id)} permission={permission} />
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function Cell({ grants, permission }: { grants: readonly Grant[] | undefined; permission: Grant }) {
  const isGiven = grants && gives(grants, permission);
  const [sign, word] = isGiven === undefined ? ['…', 'not read'] : isGiven ? ['✓', 'yes'] : ['–', 'no'];
  return (
    <td className={isGiven ? styles.given : styles.notGiven}>
      <span aria-hidden="true">{sign}</span>
      <span className="visually-hidden">{word}</span>
    </td>
  );
}
