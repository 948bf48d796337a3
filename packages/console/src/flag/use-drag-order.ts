import { type PointerEvent, useEffect, useRef, useState } from 'react';

interface Drag {
  from: number;
  /** The place that the item would have, counted without it. */
  to: number;
}

/**
 * Moves an item of a list by its handle, with a mouse, a pen or a finger. Escape ends it without a move. It is for
 * pointers alone: the list needs another way for the keyboard.
 */
export function useDragOrder(onMove: (from: number, to: number) => void) {
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const isDragging = drag !== null;

  useEffect(() => {
    if (!isDragging) return;
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && setDrag(null);
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isDragging]);

  /** How many of the other items have their middle above the pointer. */
  const placeAt = (y: number, from: number) =>
    [...list.current!.children].filter((item, index) => {
      const { top, height } = item.getBoundingClientRect();
      return index !== from && top + height / 2 < y;
    }).length;

  const handleOf = (from: number) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({ from, to: from });
    },
    onPointerMove({ clientY }: PointerEvent) {
      if (isDragging) setDrag({ from, to: placeAt(clientY, from) });
    },
    onPointerUp() {
      if (isDragging && drag.to !== from) onMove(from, drag.to);
      setDrag(null);
    },
    onPointerCancel: () => setDrag(null),
  });

  /** What an item is while another one is dragged: where a line shows the place. */
  const markOf = (index: number): 'dragged' | 'before' | 'after' | undefined => {
    if (drag === null || drag.from === drag.to) return undefined;
    if (index === drag.from) return 'dragged';
    const place = index < drag.from ? index : index - 1;
    if (place === drag.to) return 'before';
    return place === drag.to - 1 && index === list.current!.children.length - 1 ? 'after' : undefined;
  };
  return { list, handleOf, markOf };
}
