import { useQueryClient } from '@tanstack/react-query';
import styles from './login.module.css';
import { OwnPasswordForm } from './own-password-form.tsx';

/** The page of a user whose password was set by somebody else. Until it is changed the API refuses everything else. */
export function ChooseOwnPassword() {
  const queries = useQueryClient();
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1>Choose a password</h1>
        <p>Somebody else set your password. Choose one that only you know.</p>
        <OwnPasswordForm onDone={() => void queries.resetQueries()} />
      </div>
    </main>
  );
}
