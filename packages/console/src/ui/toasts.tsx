import { Toast } from '@base-ui/react/toast';
import { useEffect } from 'react';
import { keepFocus } from './keep-focus.ts';
import { SendAgain } from './send-again.tsx';
import styles from './toasts.module.css';

const manager = Toast.createToastManager();

/** Long enough to read a sentence and to reach its button by keyboard. */
const shownMs = 10_000;

/** As many notices as are seen at once. */
const seenAtOnce = 3;

/** The notices of what was done last, the oldest first. */
const doneIds: string[] = [];

/** Says what was done, with a way back. What nobody sees is closed: each notice in the page costs time at the next. */
export function sayDone(title: string, undo?: () => void): void {
  const takeBack = () => {
    manager.close(id);
    undo?.();
  };
  const id: string = manager.add({
    title,
    timeout: shownMs,
    ...(undo && { actionProps: { children: 'Undo', onClick: takeBack } }),
  });
  if (doneIds.push(id) > seenAtOnce) manager.close(doneIds.shift());
}

interface ProblemData {
  error: Error;
  sendAgain?: () => void;
}

/** Says why something was not done. It stays until it is closed. */
export function sayProblem(
  title: string,
  error: Error,
  { description = error.message, sendAgain }: { description?: string; sendAgain?: () => void } = {},
): void {
  const data: ProblemData = { error, ...(sendAgain && { sendAgain }) };
  manager.add({ title, description, type: 'problem', timeout: 0, priority: 'high', data });
}

/** After an import that failed: a newer build has replaced the file, or no answer came. */
export function sayMissingPart(error: Error): void {
  sayProblem('This part of the console could not be loaded.', error, {
    description:
      'The server gave no answer, or a newer version is installed. Then it is there once the page is loaded again.',
  });
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={seenAtOnce}>
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport}>
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => <Notice key={toast.id} toast={toast} />);
}

function Notice({ toast }: { toast: Toast.Root.ToastObject }) {
  // Its buttons have the focus until it has faded out.
  useEffect(() => keepFocus, []);
  return (
    <Toast.Root toast={toast} className={`${styles.toast} ${toast.type === 'problem' ? styles.problem : ''}`}>
      <div className={styles.text}>
        <Toast.Title className={styles.title} />
        <Toast.Description className={styles.description} />
      </div>
      <Toast.Action className={styles.action} />
      <Repeat id={toast.id} data={toast.data as ProblemData | undefined} />
      <Toast.Close className={styles.close} aria-label="Close">
        ×
      </Toast.Close>
    </Toast.Root>
  );
}

function Repeat({ id, data }: { id: string; data: ProblemData | undefined }) {
  const { error, sendAgain } = data ?? {};
  if (error === undefined || sendAgain === undefined) return null;
  const repeat = () => {
    manager.close(id);
    sendAgain();
  };
  return (
    <SendAgain error={error} look="quiet" onClick={repeat}>
      Try again
    </SendAgain>
  );
}
