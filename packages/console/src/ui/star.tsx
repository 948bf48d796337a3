import styles from './star.module.css';

interface Props {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

/** Whether something is a favourite. */
export function Star({ label, isOn, onChange }: Props) {
  return (
    <button
      type="button"
      className={styles.star}
      aria-pressed={isOn}
      aria-label={label}
      onClick={() => onChange(!isOn)}
    >
      <span aria-hidden="true">{isOn ? '★' : '☆'}</span>
    </button>
  );
}
