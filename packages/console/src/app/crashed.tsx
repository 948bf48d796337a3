import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import styles from './crashed.module.css';
import { isMissingPart, PartIsMissing } from './missing-part.tsx';

/** In place of a page that cannot be shown. The rest of the console works. */
export function PageFailed({ error }: { error: unknown }) {
  return isMissingPart(error) ? <PartIsMissing error={error} /> : <Crashed error={error} />;
}

function Crashed({ error }: { error: unknown }) {
  return (
    <div className={styles.crashed} role="alert">
      <h1>This page cannot be shown</h1>
      <p>The fault is in the console. What was saved is safe.</p>
      <p className={styles.message}>{error instanceof Error ? error.message : String(error)}</p>
      <Button look="primary" onClick={() => location.reload()}>
        Reload
      </Button>
    </div>
  );
}

interface State {
  failed: { error: unknown } | null;
}

/** Shows a sentence in place of a blank page. */
export class CrashBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failed: null };

  static getDerivedStateFromError(error: unknown): State {
    return { failed: { error } };
  }

  override render() {
    const { failed } = this.state;
    return failed === null ? this.props.children : <Crashed error={failed.error} />;
  }
}
