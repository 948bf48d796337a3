import styles from './switch.module.css';

interface Props {
  /** Names flag and environment for screen readers. */
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  /** Why the switch cannot be used, as a sentence. */
  offBecause?: string | null;
}

/**
 * A switch. It says "on" or "off" by its position and by a mark, not by its colour alone. A list has a hundred: the one
 * of the component library has an input for forms, too, and takes longer to draw (row 23).
 */
export function Switch({ label, isOn, onChange, offBecause }: Props) {
  return (
    <button
      type="button"
      role="switch"
      className={styles.switch}
      aria-checked={isOn}
      aria-label={offBecause ? `${label}. ${offBecause}` : label}
      aria-disabled={offBecause ? true : undefined}
      title={offBecause ?? undefined}
      onClick={() => !offBecause && onChange(!isOn)}
    >
      <span className={styles.thumb} />
    </button>
  );
}
