import { useTimeStyle } from './time-style'
import { absoluteTime, relativeTime } from './time-text'
import { useTicking } from './use-now'

/** A time in the user's chosen format, and in the other one for the hover. */
export function useTimeText(at: number): { text: string; title: string } {
  const relative = useTicking((now) => relativeTime(at, now))
  const absolute = absoluteTime(at)
  return useTimeStyle() === 'absolute'
    ? { text: absolute, title: relative }
    : { text: relative, title: absolute }
}
