import { Switch as Base } from '@base-ui/react/switch';
import styles from './switch.module.css';

interface Props {
  /** Names flag and environment for screen readers. */
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  /** Why the switch cannot be used, as a sentence. */
  offBecause?: string | null;
}

/** A switch. It says "on" or "off" by its position and by a mark, not by its colour alone. */
export function Switch({ label, isOn, onChange, offBecause }: Props) {
  return (
    <Base.Root
      className={styles.switch}
      checked={isOn}
      onCheckedChange={(checked) => !offBecause && onChange(checked)}
      aria-label={offBecause ? `${label}. ${offBecause}` : label}
      aria-disabled={offBecause ? true : undefined}
      title={offBecause ?? undefined}
    >
      <Base.Thumb className={styles.thumb} />
    </Base.Root>
  );
}
