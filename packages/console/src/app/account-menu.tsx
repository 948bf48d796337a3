import { Menu } from '@base-ui/react/menu';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { answer, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { outcomeOf } from '../save/outcome.ts';
import { sayProblem } from '../ui/toasts.tsx';
import styles from './account.module.css';
import { ownPlaces } from './places.ts';
import { announceSession } from './session.ts';
import { setSingleKeys, useSingleKeys } from './shortcuts/single-keys.ts';
import { setTheme, type Theme, useTheme } from './theme.ts';

const themes: Record<Theme, string> = { system: 'Theme of the system', light: 'Light', dark: 'Dark' };

/** The menu of the user: theme, shortcuts, own pages and logout. It is loaded on demand, so it begins open. */
export function AccountMenu({ name, button }: { name: string; button: ReactElement }) {
  const theme = useTheme();
  const areSingleKeysOn = useSingleKeys();
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger render={button} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={8} align="end" className={styles.positioner}>
          <Menu.Popup className={styles.popup}>
            <p className={styles.name}>{name}</p>
            <Menu.RadioGroup value={theme} onValueChange={(value: Theme) => setTheme(value)}>
              {Object.entries(themes).map(([value, label]) => (
                <Menu.RadioItem key={value} value={value} className={styles.item}>
                  <span className={styles.mark}>
                    <Menu.RadioItemIndicator>✓</Menu.RadioItemIndicator>
                  </span>
                  {label}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.CheckboxItem
              className={styles.item}
              checked={areSingleKeysOn}
              onCheckedChange={(checked) => setSingleKeys(checked)}
            >
              <span className={styles.mark}>
                <Menu.CheckboxItemIndicator>✓</Menu.CheckboxItemIndicator>
              </span>
              Shortcuts of a single key
            </Menu.CheckboxItem>
            <Menu.Separator className={styles.separator} />
            {ownPlaces.map(({ to, label }) => (
              <Menu.Item key={to} className={styles.item} render={<Link to={to} />}>
                {label}
              </Menu.Item>
            ))}
            <Menu.Item className={styles.item} onClick={() => void logout()}>
              Log out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

async function logout(): Promise<void> {
  try {
    await answer(api.POST('/logout'));
  } catch (error) {
    const hadEnded = error instanceof Problem && error.kind === 'unauthenticated';
    if (!hadEnded) return sayStillLoggedIn(error as Error);
  }
  announceSession(null);
  location.reload();
}

function sayStillLoggedIn(error: Error): void {
  const [notDone, unknown] = ['You are still logged in.', 'It is unknown whether you are still logged in.'];
  sayProblem(outcomeOf(error, { notDone, unknown }).title, error);
}
