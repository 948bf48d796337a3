import { Fragment } from 'react';
import styles from './permission-name.module.css';

/** A permission in words, with its name in the API, by which refusals and audits call it too. */
export function PermissionName({ name, displayName }: { name: string; displayName: string }) {
  const [first, ...rest] = name.split('_');
  return (
    <>
      {displayName}{' '}
      <span className={styles.api}>
        {first}
        {rest.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name do not move
          <Fragment key={index}>
            _<wbr />
            {part}
          </Fragment>
        ))}
      </span>
    </>
  );
}
