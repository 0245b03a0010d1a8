import { useTimeStyle } from './time-style'
import { absoluteTime, relativeTime } from './time-text'
import { useTicking } from './use-now'

/** A moment in the words that this person chose, and in the other ones for the hover. */
export function useTimeText(at: number): { text: string; title: string } {
  const relative = useTicking((now) => relativeTime(at, now))
  const absolute = absoluteTime(at)
  return useTimeStyle() === 'absolute'
    ? { text: absolute, title: relative }
    : { text: relative, title: absolute }
}
