import type { Following } from '../../../engines/engine'
import type { RunContext } from '../runs'

/** How a run looks on while the engine works. */
export const following = ({ say, cancel, leave, heard }: RunContext): Following => ({
  onEvent: ({ text, level, change, position }) => {
    heard(position)
    // That something still goes on is in the page's own clock.
    if (change?.phase !== 'progress') say(text, level)
  },
  cancel,
  leave,
})
