import type { Provider } from './draft.ts';
import styles from './provider-notes.module.css';

/** What to do at the vendor first, and where its documentation is. */
export function ProviderNotes({ provider }: { provider: Provider }) {
  const { displayName, deprecated, installation, documentationUrl, tagTypes } = provider;
  return (
    <div className={styles.notes}>
      {deprecated && <p className={styles.warning}>This provider takes no new integrations: {deprecated}</p>}
      {installation && (
        <p>
          {installation.helpText}{' '}
          <a href={installation.url} target="_blank" rel="noreferrer">
            {installation.title ?? 'Installation'}
          </a>
        </p>
      )}
      {tagTypes?.map(({ name, description }) => (
        <p key={name}>
          Flags may have tags of the type <code>{name}</code>: {description}
        </p>
      ))}
      <p>
        <a href={documentationUrl} target="_blank" rel="noreferrer">
          Documentation of {displayName}
        </a>
      </p>
    </div>
  );
}
