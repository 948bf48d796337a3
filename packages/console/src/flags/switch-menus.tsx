import { Menu } from '@base-ui/react/menu';
import type { BulkAction } from '../save/bulk-action.ts';
import button from '../ui/button.module.css';
import { MenuItem, MenuList } from '../ui/menu.tsx';

interface Props {
  environments: string[];
  /** Why an action is not permitted, as a sentence. */
  lacks: (action: BulkAction) => string | null;
  onChoose: (action: BulkAction) => void;
}

/** Switches the selected flags. A button for each of many environments would not fit on a phone. */
export function SwitchMenus({ environments, lacks, onChoose }: Props) {
  return [true, false].map((isOn) => (
    <Menu.Root key={`${isOn}`}>
      <Menu.Trigger className={button.button}>Switch {isOn ? 'on' : 'off'} …</Menu.Trigger>
      <MenuList align="start">
        {environments.map((environment) => {
          const wanted: BulkAction = { kind: 'switch', environment, isOn };
          return (
            <MenuItem key={environment} offBecause={lacks(wanted)} onClick={() => onChoose(wanted)}>
              in {environment}
            </MenuItem>
          );
        })}
      </MenuList>
    </Menu.Root>
  ));
}
